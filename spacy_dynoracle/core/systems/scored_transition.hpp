// A transition that can be taken, with its action and its score.
#pragma once

namespace dynoracle {

// action: -1 if the model is not asked, because the transition is forced or because the
// model has no action for it. transition: -1 if there is none. row: the row of the
// configuration; in a beam, the rank of the configuration.
struct ScoredTransition {
    double score;
    int row;
    int action;
    int transition;
};

}  // namespace dynoracle
