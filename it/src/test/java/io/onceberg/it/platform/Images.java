package io.onceberg.it.platform;

import java.nio.file.Path;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.DockerImageName;

/**
 * The images that containers are made of. Each can be another by a system property, as where no
 * registry can be reached and images of other names were built.
 */
final class Images {
  private Images() {}

  static DockerImageName postgres() {
    return named("postgres", "postgres:17");
  }

  /** Kafka; its image holds the Connect worker, too. */
  static DockerImageName kafka() {
    return named("kafka", "apache/kafka:4.3.1");
  }

  /** Nothing but a Java runtime, 17 or later, on the path. */
  static DockerImageName java() {
    return named("java", "eclipse-temurin:17-jre");
  }

  private static DockerImageName named(String what, String usual) {
    return DockerImageName.parse(System.getProperty("onceberg.image." + what, usual));
  }

  /**
   * The daemon's image, built as a user builds it.
   *
   * @param directory docker/daemon, with its jars gathered
   */
  static ImageFromDockerfile daemon(Path directory) {
    return new ImageFromDockerfile()
        .withFileFromPath(".", directory)
        .withBuildImageCmdModifier(build -> build.withNetworkMode("none"))
        .withBuildArg("BASE", java().asCanonicalNameString());
  }
}
