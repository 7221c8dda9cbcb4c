package adminapi

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// PathExplain answers why no jobs come.
const PathExplain = Prefix + "/explain"

// Explanation says why few or no jobs come, the weightiest reason first, and what it is
// reckoned from.
type Explanation struct {
	// Summary is one sentence.
	Summary string `json:"summary"`
	// Since is from when on requests are counted: the last day, or the start.
	Since    time.Time    `json:"since"`
	Until    time.Time    `json:"until"`
	Findings []Finding    `json:"findings"`
	Place    *Place       `json:"place"`
	Answers  []Answer     `json:"answers"`
	Missing  []Missing    `json:"missing"`
	Prices   []AskedPrice `json:"prices"`
	Work     CurrentWork  `json:"work"`
}

// Finding is one reason.
type Finding struct {
	// Weight is "blocker" where no job can come, "likely" for a good reason, or "hint".
	Weight string `json:"weight"`
	Says   string `json:"says"`
	// Evidence are the facts behind it.
	Evidence []string `json:"evidence"`
	Remedy   string   `json:"remedy"`
	// Code is the fault that it belongs to, or empty.
	Code string `json:"code"`
}

// Place is an orchestrator's place in the pool; null where it is not known.
type Place struct {
	// Rank counts from 1; 0 is outside. Members are in the pool, which takes Size.
	Rank    int `json:"rank"`
	Members int `json:"members"`
	Size    int `json:"size"`
	// Stake is the orchestrator's, Last the smallest in the pool.
	Stake core.LPT  `json:"stake"`
	Last  core.LPT  `json:"last"`
	At    time.Time `json:"at"`
}

// Answer is how often a gateway got one answer.
type Answer struct {
	// Kind is transcoding_offer, ai_offer, segment or job.
	Kind string `json:"kind"`
	// Gateway is an address, "others", or empty without a valid signature.
	Gateway string `json:"gateway"`
	// Code is empty for yes.
	Code  string    `json:"code"`
	Count uint64    `json:"count"`
	Last  time.Time `json:"last"`
}

// Missing is what gateways wanted and the node does not have.
type Missing struct {
	Kind  string    `json:"kind"`
	Text  string    `json:"text"`
	Count uint64    `json:"count"`
	Last  time.Time `json:"last"`
}

// Heard is what a gateway was asked for a unit in the day, in wei, whole numbers or
// "a/b"; null where it was asked nothing. Expected is what it came with.
type AskedPrice struct {
	Gateway  string  `json:"gateway"`
	Quotes   uint64  `json:"quotes"`
	Lowest   *string `json:"lowest"`
	Highest  *string `json:"highest"`
	Last     *string `json:"last"`
	Expected *string `json:"expected"`
}

// WorkAtHand is what the node can work with now.
type CurrentWork struct {
	Devices      int `json:"devices"`
	DevicesTotal int `json:"devicesInAll"`
	Models       int `json:"models"`
	ModelsTotal  int `json:"modelsInAll"`
	Sessions     int `json:"sessions"`
	// Limit is 0 where there is none but what is measured.
	Limit int `json:"limit"`
}
