package io.onceberg.it.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** docs/architecture.md as rules. */
@AnalyzeClasses(packages = "io.onceberg", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  /** keystore <- ingest <- replay <- it, and nothing else. */
  @ArchTest
  static final ArchRule MODULES_POINT_ONE_WAY =
      noClasses()
          .that()
          .resideInAnyPackage("io.onceberg.keystore..", "io.onceberg.error..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.onceberg.ingest..", "io.onceberg.replay..", "io.onceberg.it..");

  @ArchTest
  static final ArchRule INGEST_DOES_NOT_KNOW_ITS_USERS =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.ingest..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.onceberg.replay..", "io.onceberg.it..");

  @ArchTest
  static final ArchRule THE_KEYSTORE_NEVER_SEES_KAFKA =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.keystore..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "io.debezium..");

  /** Single files know nothing of targets, and nobody but the keystore knows of single files. */
  @ArchTest
  static final ArchRule KEY_FILES_ARE_THE_KEYSTORES_OWN =
      classes()
          .that()
          .resideInAPackage("io.onceberg.keystore.keyfile")
          .should()
          .onlyBeAccessed()
          .byAnyPackage("io.onceberg.keystore..");

  @ArchTest
  static final ArchRule KEY_FILES_KNOW_NO_TARGETS =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.keystore.keyfile")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.onceberg.keystore");

  /** Types are values; tables, files and catalogs belong to the keystore. */
  @ArchTest
  static final ArchRule INGEST_REACHES_ICEBERG_THROUGH_THE_KEYSTORE =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.ingest..")
          .should(
              dependOnClassesThat(
                  resideInAPackage("org.apache.iceberg..")
                      .and(not(resideInAPackage("org.apache.iceberg.types..")))));

  @ArchTest
  static final ArchRule DEBEZIUM_ONLY_IN_CAPTURE =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.ingest..")
          .and()
          .resideOutsideOfPackage("io.onceberg.ingest.capture..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.debezium..");

  /** The daemon's only consumers and admin clients. */
  @ArchTest
  static final ArchRule KAFKA_CLIENTS_ONLY_IN_SOURCE_AND_CAPTURE =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.ingest..")
          .and()
          .resideOutsideOfPackages("io.onceberg.ingest.source..", "io.onceberg.ingest.capture..")
          .should(
              dependOnClassesThat(
                  HasName.Predicates.nameMatching(
                      ".*\\.(KafkaConsumer|KafkaProducer|Admin|KafkaAdminClient)")));

  @ArchTest
  static final ArchRule REPLAY_NEVER_COMMITS_BY_ITSELF =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg.replay..")
          .should()
          .dependOnClassesThat(resideInAPackage("org.apache.iceberg.."));

  @ArchTest
  static final ArchRule NO_CYCLES_BETWEEN_PACKAGES =
      slices().matching("io.onceberg.ingest.(*)..").should().beFreeOfCycles();

  /** A map for the newcomer would lie if there were packages beside these. */
  @ArchTest
  static final ArchRule ONLY_KNOWN_PACKAGES =
      classes()
          .that()
          .resideInAPackage("io.onceberg..")
          .should()
          .resideInAnyPackage(
              "io.onceberg.error",
              "io.onceberg.keystore",
              "io.onceberg.keystore.keyfile",
              "io.onceberg.ingest..",
              "io.onceberg.replay",
              "io.onceberg.it..");

  /** Names that say nothing. */
  @ArchTest
  static final ArchRule NO_EMPTY_NAMES =
      noClasses()
          .that()
          .resideInAPackage("io.onceberg..")
          .should()
          .haveNameMatching(".*(Util|Utils|Manager|Helper|Impl)$");

  private ArchitectureTest() {}
}
