#!/bin/sh
# usage: tools/find_python.sh VERSION...
# Prints the first working interpreter of these versions, on the path or kept by pyenv.
for version; do
    for candidate in "python$version" "$(pyenv root 2>/dev/null)"/versions/"$version".*/bin/python; do
        if "$candidate" -c '' 2>/dev/null; then
            echo "$candidate"
            exit 0
        fi
    done
done
exit 1
