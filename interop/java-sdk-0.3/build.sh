#!/bin/sh
# A Quarkus application, and the harness of the client with its libraries. BUILD is where they go.
set -eu
mvn --batch-mode --quiet -DskipTests -Dtarget="$BUILD/target" -Dquarkus.analytics.disabled=true package
mvn --batch-mode --quiet -f client -DskipTests -Dtarget="$BUILD/client" package
