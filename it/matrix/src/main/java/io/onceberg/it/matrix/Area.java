package io.onceberg.it.matrix;

/** The sections of docs/faults.md, in the order of the page. */
public enum Area {
  KILL("A process is killed"),
  OUT_OF_REACH("A part is out of reach, or answers late"),
  COMMIT("The answer of a commit is lost, or someone else commits"),
  MAINTENANCE("Others work on the tables"),
  KAFKA("Topics and offsets change"),
  SOURCE("The source repeats, restarts or loses its place"),
  IDENTITY("What is, and is not, the same event"),
  STORAGE("The storage fails"),
  INPUT("Bad input");

  private final String title;

  Area(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
