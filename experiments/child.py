"""Running a module as a program that ends with the process that started it.

``python -m experiments.child PARENT MODULE ARGUMENT ...``
"""

import runpy
import sys

from spacy_dynoracle.util.workers import end_with

if __name__ == "__main__":
    _, parent, module, *arguments = sys.argv
    end_with(int(parent))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
