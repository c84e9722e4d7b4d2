#!/bin/sh
# Installs PostgreSQL and Redis from the distribution's packages, for the tests that start real servers, and what their
# examples call: curl and OpenSSL; Chromium, for the pages; and Python with venv, for the agents of interop/. Does nothing when all are there. Needs root and apt; otherwise it says what to install by hand.
set -eu

missing=''
if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null 2>&1; then
  missing="$missing postgresql"
fi
if ! command -v redis-server >/dev/null 2>&1; then
  missing="$missing redis-server"
fi
for program in curl openssl; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
# Chromium without windows takes a third of the time; where it cannot be had, the whole browser does as well.
if [ ! -x /usr/lib/chromium/chromium-headless-shell ]; then
  if [ "$(id -u)" = 0 ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    missing="$missing chromium-headless-shell"
  elif [ ! -x /usr/bin/chromium ]; then
    missing="$missing chromium"
  fi
fi
python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3 python3-venv"
if [ -z "$missing" ]; then
  exit 0
fi

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "The tests need these programs; please install them with your package manager:$missing" >&2
  exit 1
fi

# The tests start their own instances; the packages must not start services of their own.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
apt-get update -qq
# Before the update nothing may have been known of it.
if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  missing=$(echo "$missing " | sed 's/ chromium / chromium-headless-shell /')
fi
# shellcheck disable=SC2086 # one word per package
apt-get install -y -qq --no-install-recommends $missing
