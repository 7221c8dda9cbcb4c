package inference

import (
	"math/bits"
	"slices"
)

// FeatureSet is a set of features: what requests ask of a language model and not every one can do.
type FeatureSet uint16

// The features. The first four are the operations of llm.
const (
	featureChat FeatureSet = 1 << iota
	featureCompletion
	featureEmbedding
	featureRerank
	// Tools: the model is given tools that it may call.
	Tools
	// Vision: it reads pictures.
	Vision
	// AudioInput: it hears sounds.
	AudioInput
	// JSONSchema: its answer keeps to a JSON schema.
	JSONSchema
	// Logprobs: its answer has the probabilities of tokens.
	Logprobs
	endOfFeatures
)

// Parameters are the features that a request asks for by a field of its own, besides the operation.
const Parameters = Tools | Vision | AudioInput | JSONSchema | Logprobs

// operationFeatures are the operations as features.
const operationFeatures = featureChat | featureCompletion | featureEmbedding | featureRerank

// featureWords are the features' names in offers, files and answers, in the order of their bits. Read-only.
var featureWords = [...]string{
	string(Chat), string(Completion), string(Embedding), string(Rerank), "tools", "vision", "audio", "json_schema",
	"logprobs",
}

// MaxFeatures is how many features there are.
const MaxFeatures = len(featureWords)

// Words names the features.
func (s FeatureSet) Words() (words []string) {
	for i, w := range featureWords {
		if s&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return words
}

// Index returns the number of a set's first feature, below MaxFeatures. The set must not be empty.
func (s FeatureSet) Index() int { return bits.TrailingZeros16(uint16(s & (endOfFeatures - 1))) }

// Operations are the operations among the features.
func (s FeatureSet) Operations() FeatureSet { return s & operationFeatures }

// FeaturesNamed returns the features of these names. Other words are left out.
func FeaturesNamed(words []string) (s FeatureSet) {
	for _, w := range words {
		if i := slices.Index(featureWords[:], w); i >= 0 {
			s |= 1 << i
		}
	}
	return s
}

// ReadFeatures reads the words of a peer's offer. What it says both of counts as unknown, as do operations, which
// offers have elsewhere.
func ReadFeatures(has, lacks []string) Features {
	f := Features{Has: FeaturesNamed(bounded(has)) & Parameters, Lacks: FeaturesNamed(bounded(lacks)) & Parameters}
	both := f.Has & f.Lacks
	return Features{Has: f.Has &^ both, Lacks: f.Lacks &^ both}
}

// maxFeatureWords bounds the words that are read of a list: later releases may know more features than this one.
const maxFeatureWords = 32

func bounded(words []string) []string { return words[:min(len(words), maxFeatureWords)] }

// OperationFeature returns an operation of llm as a feature, and an empty set for others.
func OperationFeature(op Operation) FeatureSet {
	return FeaturesNamed([]string{string(op)}) & operationFeatures
}

// Features are what a model can do at a node, as far as that is known. It is comparable.
type Features struct {
	// Has are those that it has, Lacks those that it lacks; of others nothing is known.
	Has, Lacks FeatureSet
}

// Or returns the features with what other says about those that are unknown here.
func (f Features) Or(other Features) Features {
	unknown := ^(f.Has | f.Lacks)
	return Features{Has: f.Has | other.Has&unknown, Lacks: f.Lacks | other.Lacks&unknown&^other.Has}
}

// Both returns what holds for each of two runners: a job may get either.
func (f Features) Both(other Features) Features {
	return Features{Has: f.Has & other.Has, Lacks: f.Lacks & other.Lacks}
}

// Any returns what one of two nodes at least can do.
func (f Features) Any(other Features) Features {
	has := f.Has | other.Has
	return Features{Has: has, Lacks: f.Lacks & other.Lacks &^ has}
}

// WithOperations adds the operations that a node says its model can do, nil for one that says none.
func (f Features) WithOperations(can []Operation) Features {
	if len(can) == 0 {
		return f
	}
	var has FeatureSet
	for _, op := range can {
		has |= OperationFeature(op)
	}
	return Features{Has: f.Has | has, Lacks: f.Lacks | operationFeatures&^has}
}

// Needs are what a request asks of a language model. It is comparable.
type Needs struct {
	Features FeatureSet
	// Tokens is about how long prompt and answer may be together, 0 where that is not known.
	Tokens Tokens
}

// Words names the needs, "context" for the length.
func (n Needs) Words() []string {
	words := n.Features.Words()
	if n.Tokens > 0 {
		words = append(words, ContextWord)
	}
	return words
}

// Meets reports whether two have a need in common.
func (n Needs) Meets(other Needs) bool {
	return n.Features&other.Features != 0 || n.Tokens > 0 && other.Tokens > 0
}

// With returns the needs of both.
func (n Needs) With(other Needs) Needs {
	return Needs{Features: n.Features | other.Features, Tokens: max(n.Tokens, other.Tokens)}
}

// ContextWord is the name of a model's context among its features.
const ContextWord = "context"

// Abilities are a model's features and its context, the longest prompt and answer together, 0 where that is not
// known. It is comparable.
type Abilities struct {
	Features
	Context Tokens
}
