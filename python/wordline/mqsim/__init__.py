"""A drop-in for MQSim: its configuration files in, its result file out, with Wordline's engine between.

`read` gives the scenarios of two files of MQSim as Wordline's own descriptions, `document` a result of theirs
in MQSim's form. docs/mqsim.md says what each key becomes.
"""

from wordline.mqsim.convert import IoScenario, read
from wordline.mqsim.results import document

__all__ = ["IoScenario", "document", "read"]
