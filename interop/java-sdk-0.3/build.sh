#!/bin/sh
# A Quarkus application. BUILD is where it goes.
set -eu
mvn --batch-mode --quiet -DskipTests -Dtarget="$BUILD/target" -Dquarkus.analytics.disabled=true package
