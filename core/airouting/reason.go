package airouting

// Reason is why an orchestrator gets a job before others, or cannot get it. The texts are stable: programs
// read them.
type Reason string

// Why an orchestrator cannot get a job.
const (
	// NotOffered: it does not offer the model any more.
	NotOffered Reason = "not_offered"
	// NotInOnly, Ignored, NotInOrder, NoFallbacks, DropsParameters and AbovePreferredPrice: the client's
	// preferences exclude it.
	NotInOnly           Reason = "not_in_only"
	Ignored             Reason = "ignored"
	NotInOrder          Reason = "not_in_order"
	NoFallbacks         Reason = "no_fallbacks"
	DropsParameters     Reason = "drops_parameters"
	AbovePreferredPrice Reason = "above_preferred_price"
	// LacksOperation: nodes of its kind know chats only, or it says that its model does not do the operation.
	LacksOperation Reason = "lacks_operation"
	// LacksFeature: it says that its model lacks a feature that the request needs.
	LacksFeature Reason = "lacks_feature"
	// LowScore: its measured performance is below the operator's minimum.
	LowScore Reason = "low_score"
	// AboveMaxPrice: it costs more than the gateway pays.
	AboveMaxPrice Reason = "above_max_price"
	// AskedToWait: it asked the client to come back later.
	AskedToWait Reason = "asked_to_wait"
	// AlreadyTried: the job was sent to it.
	AlreadyTried Reason = "already_tried"
	// Rests: it failed recently, or took payments without an answer.
	Rests Reason = "resting"
)

// Why an orchestrator gets a job before others, the strongest reason first.
const (
	// CachedPrefix: it has the beginning of the prompt cached.
	CachedPrefix Reason = "cached_prefix"
	// Loaded: it has the model loaded, and a free slot.
	Loaded Reason = "loaded"
	// RefusedSome: it is loaded and recently refused requests of this kind.
	RefusedSome Reason = "refused_some"
	// NotLoaded: it would have to load the model.
	NotLoaded Reason = "not_loaded"
	// RefusedMany: it recently refused many requests of this kind, or is not loaded and refused some.
	RefusedMany Reason = "refused_many"
	// FullNow: as far as known, it has no free slot.
	FullNow Reason = "full"
	// MayLack: as far as known it cannot do what the request needs, and there is no other.
	MayLack Reason = "may_lack_feature"
	// LastResort: it rests, and is probed because there is no other.
	LastResort Reason = "last_resort"
)

// tierReasons are the reasons of the tiers. Read-only.
var tierReasons = [tiers]Reason{
	loaded: Loaded, deprioritized: RefusedSome, unloaded: NotLoaded, refuser: RefusedMany,
	fullLoaded: FullNow, fullUnloaded: FullNow, fullRefuser: FullNow,
}

// verdict returns what an objection to one orchestrator is for all.
func (r Reason) verdict() Verdict {
	switch r {
	case NotInOnly, Ignored, NotInOrder, NoFallbacks, DropsParameters:
		return Excluded
	case AbovePreferredPrice:
		return TooExpensiveForClient
	case LacksOperation, LowScore:
		return Unfit
	case LacksFeature:
		return Lacking
	case AboveMaxPrice:
		return TooExpensive
	case AskedToWait:
		return BackingOff
	case AlreadyTried:
		return Tried
	}
	return Empty
}

// reasonTexts are the reasons in words. Read-only.
var reasonTexts = map[Reason]string{
	NotOffered:          "it does not offer the model any more",
	NotInOnly:           "provider.only does not name it",
	Ignored:             "provider.ignore names it",
	NotInOrder:          "provider.order does not name it, and allow_fallbacks is false",
	NoFallbacks:         "allow_fallbacks is false, and another one is first",
	DropsParameters:     "it may drop parameters of the request, which require_parameters refuses",
	AbovePreferredPrice: "it costs more than provider.max_price",
	LacksOperation:      "its model does not do this; nodes of the existing network know chats only",
	LacksFeature:        "its model lacks what the request needs",
	LowScore:            "its measured performance is below -minPerfScore",
	AboveMaxPrice:       "it costs more than -maxPricePerCapability or -maxPricePerUnit",
	AskedToWait:         "it asked this client to come back later",
	AlreadyTried:        "it had the request already",
	Rests:               "it failed recently and rests, or took payments without an answer",
	CachedPrefix:        "it has the beginning of the prompt cached",
	Loaded:              "it has the model loaded and a free slot",
	RefusedSome:         "it has the model loaded, and recently refused such requests",
	NotLoaded:           "it would have to load the model",
	RefusedMany:         "it recently refused many such requests, or some and has not loaded the model",
	FullNow:             "it has no free slot, as far as known",
	MayLack:             "as far as known its model cannot do what the request needs, and there is no other",
	LastResort:          "it rests, and there is no other",
}

// Text returns the reason in words.
func (r Reason) Text() string { return reasonTexts[r] }
