// The lemmas that rules make of a form. Texts are code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hashing.hpp"

namespace dynoracle {

using Text = std::u32string;

inline uint64_t hash_of(const Text& text, size_t start, size_t end, uint64_t seed) {
    for (size_t i = start; i < end; ++i) seed = next_hash(seed, text[i]);
    return seed;
}

// A word that is to get a lemma: its form in each of the cases, the ids of its tags, and a
// hash of its shape.
struct Word {
    Text cased[4];
    uint64_t pos = 0, morph = 0, context = 0, shape = 0;
};

// A rule; edit_rules.pyx explains its parts.
struct Rule {
    int case_number = 0;
    Text cut_before, add_before, cut_behind, add_behind;
    uint64_t key = 0;

    // Whether the rule fits a form that is in its case.
    bool fits(const Text& form) const {
        const size_t n = form.size(), before = cut_before.size();
        const size_t behind = cut_behind.size();
        if (before + behind >= n && !is_whole(form)) return false;
        return has(form, 0, cut_before) && has(form, n - behind, cut_behind);
    }

    // Set lemma to that of a form that the rule fits.
    void apply(const Text& form, Text& lemma) const {
        lemma = add_before;
        if (is_whole(form)) return;
        const size_t before = cut_before.size();
        lemma.append(form, before, form.size() - before - cut_behind.size());
        lemma += add_behind;
    }

private:
    // Whether the rule is for a form as a whole.
    bool is_whole(const Text& form) const {
        return cut_before.size() == form.size() && cut_behind.empty();
    }

    // Whether a part, which is short, is in a form at a place.
    static bool has(const Text& form, size_t place, const Text& part) {
        for (size_t i = 0; i < part.size(); ++i) {
            if (form[place + i] != part[i]) return false;
        }
        return true;
    }
};

// The candidates of one word.
struct Candidates {
    static constexpr uint64_t SEED = 0x2545F4914F6CDD1D;

    // The vectors may be longer.
    int n = 0;
    std::vector<Text> lemmas;
    std::vector<uint64_t> hashes;
    std::vector<int> rules;

    // Begin with a word, which stays where it is.
    void start(const Word& word, size_t n_rules) {
        word_ = &word;
        n = 0;
        tried_.assign(n_rules, false);
    }

    // Add what a rule makes of the word, if it fits and makes something new.
    void add(const Rule& rule, int number) {
        if (tried_[size_t(number)]) return;
        tried_[size_t(number)] = true;
        const Text& form = word_->cased[rule.case_number];
        if (!rule.fits(form)) return;
        const size_t last = size_t(n);
        if (last == lemmas.size()) {
            lemmas.emplace_back();
            hashes.emplace_back();
            rules.emplace_back();
        }
        Text& lemma = lemmas[last];
        rule.apply(form, lemma);
        if (lemma.empty()) return;
        const uint64_t hash = hash_of(lemma, 0, lemma.size(), SEED);
        for (size_t i = 0; i < last; ++i) {
            if (hashes[i] == hash && lemmas[i] == lemma) return;
        }
        hashes[last] = hash;
        rules[last] = number;
        ++n;
    }

private:
    const Word* word_ = nullptr;
    // The rules of an analysis are mostly those of a part of speech, too.
    std::vector<bool> tried_;
};

// Rules by the tags that they are for and by what they cut behind, in lower case. There is
// a tree of endings for each tag, which is read from the last character on.
class RuleTrees {
public:
    std::vector<Rule> rules;

    // The last rule is for a tag, too; 0 is the tag of all rules.
    void add(uint64_t tag, const Text& ending) {
        int node = made(roots_, tag);
        for (size_t i = ending.size(); i-- > 0;) node = made(nodes_, step(node, ending[i]));
        of_node_[size_t(node)].push_back(int(rules.size()) - 1);
    }

    // Make the candidates of a word: rules that cut less come first, and those of its
    // analysis before those of its part of speech.
    void find(const Word& word, Candidates& candidates) const {
        const Text& lower = word.cased[0];
        int nodes[2] = {word.morph == 0 ? NONE : found(roots_, word.morph), NONE};
        if (nodes[0] != NONE) {
            nodes[1] = found(roots_, word.pos);
        } else {
            // Without a known analysis the part of speech alone tells too little.
            nodes[0] = found(roots_, 0);
        }
        candidates.start(word, rules.size());
        for (size_t left = lower.size();; --left) {
            for (int& node : nodes) {
                if (node == NONE) continue;
                for (const int number : of_node_[size_t(node)]) {
                    candidates.add(rules[size_t(number)], number);
                }
                if (left > 0) node = found(nodes_, step(node, lower[left - 1]));
            }
            if (left == 0 || (nodes[0] == NONE && nodes[1] == NONE)) return;
        }
    }

private:
    static constexpr int NONE = -1;
    using Nodes = std::unordered_map<uint64_t, int>;

    Nodes roots_, nodes_;
    std::vector<std::vector<int>> of_node_;

    static uint64_t step(int node, char32_t character) {
        return uint64_t(node) << 32 | uint64_t(character);
    }

    int made(Nodes& nodes, uint64_t key) {
        const auto [place, is_new] = nodes.emplace(key, int(of_node_.size()));
        if (is_new) of_node_.emplace_back();
        return place->second;
    }

    static int found(const Nodes& nodes, uint64_t key) {
        const auto place = nodes.find(key);
        return place == nodes.end() ? NONE : place->second;
    }
};

}  // namespace dynoracle
