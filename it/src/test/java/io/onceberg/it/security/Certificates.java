package io.onceberg.it.security;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A server's certificate for loopback, made by keytool: a key store for the servers, a trust store
 * that holds it, and one that holds another.
 */
record Certificates(Path keys, Path trusted, Path others) {
  static final String PASSWORD = "keystore-password";

  static Certificates make(Path directory) {
    Path keys = key(directory, "server");
    return new Certificates(
        keys, trust(directory, keys, "server"), trust(directory, key(directory, "other"), "other"));
  }

  private static Path key(Path directory, String name) {
    Path keys = directory.resolve(name + ".p12");
    keytool(
        List.of(
            "-genkeypair",
            "-alias",
            name,
            "-keyalg",
            "EC",
            "-validity",
            "30",
            "-dname",
            "CN=localhost",
            "-ext",
            "SAN=dns:localhost,ip:127.0.0.1"),
        keys);
    return keys;
  }

  private static Path trust(Path directory, Path keys, String name) {
    Path certificate = directory.resolve(name + ".pem");
    keytool(List.of("-exportcert", "-rfc", "-alias", name, "-file", certificate.toString()), keys);
    Path trusted = directory.resolve(name + "-trust.p12");
    keytool(
        List.of("-importcert", "-noprompt", "-alias", name, "-file", certificate.toString()),
        trusted);
    return trusted;
  }

  private static void keytool(List<String> arguments, Path store) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(arguments);
    command.addAll(
        List.of(
            "-J-XX:TieredStopAtLevel=1",
            "-keystore",
            store.toString(),
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(command + ": " + said);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** What a server in this program needs. */
  SSLContext server() {
    try (InputStream in = Files.newInputStream(keys)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD.toCharArray());
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(factory.getKeyManagers(), null, null);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
