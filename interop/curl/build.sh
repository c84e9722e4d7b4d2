#!/bin/sh
# There is nothing to build.
true
