package io.onceberg.it.matrix;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a test as a cell of the fault matrix: docs/faults.md has a line for it, and for each
 * invocation of a parameterized one.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FaultRecorder.class)
public @interface Fault {
  /** The section of the page. */
  Area area();

  /** What is done to the system; the arguments of a parameterized test are put behind it. */
  String what();

  /** What a user sees: by default that every event is there, once. */
  String outcome() default "nothing lost, nothing twice";

  /** The known cases of other systems that it shows. */
  Case[] cases() default {};
}
