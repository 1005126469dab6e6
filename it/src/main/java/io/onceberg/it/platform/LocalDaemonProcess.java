package io.onceberg.it.platform;

import io.onceberg.it.stack.OwnedProcess;
import java.time.Duration;
import java.util.OptionalInt;

/** A daemon in a process of its own. */
public final class LocalDaemonProcess implements RunningDaemon {
  private final OwnedProcess process;

  LocalDaemonProcess(OwnedProcess process) {
    this.process = process;
  }

  @Override
  public boolean alive() {
    return process.alive();
  }

  @Override
  public OptionalInt exitStatus() {
    return process.exitStatus();
  }

  @Override
  public String output() {
    return process.output();
  }

  @Override
  public void kill() {
    process.kill();
  }

  /** Stops it in its tracks, until {@link #resume}. */
  public void pause() {
    process.pause();
  }

  public void resume() {
    process.resume();
  }

  @Override
  public boolean stop(Duration grace) {
    return process.terminate(grace);
  }

  @Override
  public void close() {
    process.kill();
  }
}
