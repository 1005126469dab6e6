#!/bin/bash
# shellcheck disable=SC2086  # options are words
exec java ${KAFKA_HEAP_OPTS:-} -Dlog4j2.configurationFile=/opt/kafka/config/log4j2.properties -cp '/opt/kafka/libs/*' \
  org.apache.kafka.connect.cli.ConnectDistributed "$@"
