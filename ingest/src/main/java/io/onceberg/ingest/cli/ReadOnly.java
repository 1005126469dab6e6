package io.onceberg.ingest.cli;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoDir;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ParsedStatement;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Lets only queries through. A row or key that someone deletes by hand is one that the tables'
 * ledger still counts as landed, so nothing would bring it back.
 */
final class ReadOnly {
  private static final Set<String> LOOKS = Set.of("Show", "Describe", "Explain");

  /** How a statement that reads begins, after spaces, comments and brackets. */
  private static final Pattern READING =
      Pattern.compile(
          "(?is)^(\\s|--[^\\n]*\\n|/\\*.*?\\*/|\\()*(select|with|values|table|from|show|desc|describe|explain)\\b.*");

  private ReadOnly() {}

  /**
   * Checks a statement before Spark runs it, for Spark runs commands at once.
   *
   * @throws OncebergException when it would change anything
   * @throws ParseException when it is no statement
   */
  static void require(SparkSession spark, String statement) throws ParseException {
    LogicalPlan plan = parse(spark, statement);
    boolean begins = READING.matcher(statement).matches();
    if (!begins || (!isLook(plan) && !reads(plan))) {
      throw new OncebergException(
          ErrorCode.QUERY_REFUSED,
          "onceberg sql only reads, and this is %s; change tables with an engine of your own, while the"
                  .formatted(plan.nodeName())
              + " daemon is down");
    }
  }

  private static LogicalPlan parse(SparkSession spark, String statement) throws ParseException {
    return ((org.apache.spark.sql.classic.SparkSession) spark)
        .sessionState()
        .sqlParser()
        .parsePlan(statement);
  }

  private static boolean isLook(LogicalPlan plan) {
    return LOOKS.stream().anyMatch(plan.getClass().getSimpleName()::startsWith);
  }

  private static boolean reads(LogicalPlan plan) {
    boolean writes =
        plan instanceof Command || plan instanceof ParsedStatement || plan instanceof InsertIntoDir;
    return !writes
        && CollectionConverters.asJava(plan.children()).stream().allMatch(ReadOnly::reads);
  }
}
