#!/bin/sh
# Never started.
touch started
cat
