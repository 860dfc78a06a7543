"""The file that `lighteval custom NAME FILE TASKS` takes.

NAME is `spec?key=value&…`, as in `org/model?frames=8&batch=2`; the options are those of `chalkbench.models.read_name`.
lighteval takes the first model class that it finds in this module, so there is one, and its parent is reached through
a module.
"""

from lighteval.models.custom.custom_model import CustomModelConfig

from chalkbench import models as _models
from chalkbench.models import base as _base


class ChalkbenchModel(_base.VideoModel):
    """Any model of chalkbench, by its name alone."""

    def __init__(self, config: CustomModelConfig) -> None:
        spec, run, loading = _models.read_name(config.model_name)
        super().__init__(_models.open_backend(spec, **loading), **run)
