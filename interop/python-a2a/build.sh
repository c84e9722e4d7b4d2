#!/bin/sh
# A virtual environment with exactly the packages of requirements.txt. BUILD is where it goes.
set -eu
python3 -m venv --clear "$BUILD/venv"
"$BUILD/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement requirements.txt
