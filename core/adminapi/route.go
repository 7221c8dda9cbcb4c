package adminapi

import (
	"encoding/json"
	"time"
)

// PathRouteExplain answers which orchestrators would get a request for a language model. It sends nothing to
// any of them.
const PathRouteExplain = Prefix + "/route/explain"

// RouteQuestion is a request as an application would send it.
type RouteQuestion struct {
	// Operation is chat, completion or embedding; empty is chat.
	Operation string          `json:"operation,omitempty"`
	Request   json.RawMessage `json:"request"`
}

// RoutePlan is what the gateway would do with a request: the models that it may be sent to, in order.
type RoutePlan struct {
	Models []RoutedModel `json:"models"`
}

// RoutedModel is a model that a request may be sent to, and its orchestrators.
type RoutedModel struct {
	// Name is the name of the request that the model stands for, Model the network's.
	Name  string `json:"name"`
	Model string `json:"model"`
	// Why is asked, alternative (of the request's own list), fallback or longer (of the operator's file).
	Why string `json:"why"`
	// Refreshed is when the orchestrators were last asked for their offers of the model; null where they were
	// not, so that none is known here.
	Refreshed *time.Time `json:"refreshed"`
	// Orchestrators are first those that would get the request, in their order, then the others.
	Orchestrators []RoutedOrchestrator `json:"orchestrators"`
}

// RoutedOrchestrator is an orchestrator that offers a model.
type RoutedOrchestrator struct {
	// Rank is its turn, from 1, if those before fail; 0 where it does not get the request. Those of one rank
	// share requests by load, and on the chain by the gateway's weights.
	Rank    int    `json:"rank"`
	URI     string `json:"uri"`
	Account string `json:"account"`
	// Reason is a stable word, Says the same for people.
	Reason string `json:"reason"`
	Says   string `json:"says"`
	// Until is when the reason ends; null where that is not known.
	Until *time.Time `json:"until"`
	// Missing is what the request needs and the orchestrator is not known to do: features such as "tools" and "vision",
	// an operation, or "context" where the request seems too long for it.
	Missing []string `json:"missing"`
	// Price is in wei per unit, a whole number or "a/b".
	Price    string `json:"price"`
	Warm     bool   `json:"warm"`
	InFlight int    `json:"inFlight"`
	// Capacity and FirstByteSeconds are 0 where they are not known.
	Capacity         int     `json:"capacity"`
	FirstByteSeconds float64 `json:"firstByteSeconds"`
}
