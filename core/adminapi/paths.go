package adminapi

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Prefix begins the paths of version 1.
const Prefix = "/api/v1"

// Paths that are read with GET.
const (
	PathOpenAPI        = Prefix + "/openapi.json"
	PathNode           = Prefix + "/node"
	PathConditions     = Prefix + "/conditions"
	PathChain          = Prefix + "/chain"
	PathParameters     = Prefix + "/parameters"
	PathOrchestrator   = Prefix + "/orchestrator"
	PathOrchestrators  = Prefix + "/orchestrators"
	PathEarnings       = Prefix + "/orchestrators/{address}/earnings"
	PathDelegator      = Prefix + "/delegator"
	PathUnbondingLocks = Prefix + "/unbonding-locks"
	PathBalances       = Prefix + "/balances"
	PathSender         = Prefix + "/sender"
	PathGas            = Prefix + "/gas"
	PathReward         = Prefix + "/reward"
	PathServiceAddress = Prefix + "/service-address"
	PathTransactions   = Prefix + "/transactions"
	PathSettings       = Prefix + "/settings"
	PathPrices         = Prefix + "/prices"
	PathPriceLimits    = Prefix + "/price-limits"
)

// Paths that change something with POST. PathGas, PathSettings, PathPrices and PathPriceLimits
// accept POST too.
const (
	PathAction   = Prefix + "/actions/{verb}"
	PathActivate = Prefix + "/orchestrator/activate"
	PathConfig   = Prefix + "/orchestrator/config"
	PathSign     = Prefix + "/sign"
)

// Query parameters and their values.
const (
	// QueryDryRun: "true" estimates the action and sends nothing.
	QueryDryRun = "dryRun"
	// QueryWait says what the answer to an action waits for: WaitMined or WaitSubmitted.
	QueryWait = "wait"
	// QueryStep: StepNext runs only the next open step of a plan.
	QueryStep = "step"
	// QueryRound is a round number.
	QueryRound = "round"

	WaitMined     = "mined"
	WaitSubmitted = "submitted"
	StepNext      = "next"
)

// TokenFile is the name of the file in the data directory that holds the token. Requests that change
// something must carry this token.
const TokenFile = "admin.token"

// EarningsPath returns the path of an orchestrator's earnings in a round.
func EarningsPath(address core.Address, round protocol.Round) string {
	return strings.Replace(PathEarnings, "{address}", address.String(), 1) + "?" + QueryRound + "=" +
		strconv.FormatUint(uint64(round), 10)
}

// ActionPath returns the path of an action. verb is one of the Verb constants, or the result of an
// action's method Verb.
func ActionPath(verb string) string {
	return strings.Replace(PathAction, "{verb}", Kebab(verb), 1)
}

// Kebab writes an action's verb as paths do: "setServiceURI" is "set-service-uri".
// A verb that has this form already stays as it is.
func Kebab(verb string) string {
	var b strings.Builder
	upper := false
	for i, r := range verb {
		was := upper
		upper = r >= 'A' && r <= 'Z'
		if upper && !was && i > 0 {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}
