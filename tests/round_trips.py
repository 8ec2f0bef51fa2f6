"""The ways in which a component gets somewhere else."""

import copy
import pickle

import pytest


def through_disk(component, make, path):
    component.to_disk(path)
    return make().from_disk(path)


def through_bytes(component, make, path):
    return make().from_bytes(component.to_bytes())


def through_pickle(component, make, path):
    return pickle.loads(pickle.dumps(component))


def through_deepcopy(component, make, path):
    return copy.deepcopy(component)


# Called with a component, a function that makes an untrained one, and a new path.
COPIES = [through_pickle, through_deepcopy]
ROUND_TRIPS = [through_disk, through_bytes, *COPIES]
every_copy = pytest.mark.parametrize("round_trip", COPIES)
every_way = pytest.mark.parametrize("round_trip", ROUND_TRIPS)
