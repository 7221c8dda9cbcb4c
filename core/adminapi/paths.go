package adminapi

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Prefix is where version 1 lives.
const Prefix = "/api/v1"

// The paths that are read.
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

// The paths that change something. PathGas, PathSettings, PathPrices and
// PathPriceLimits take POST, too.
const (
	PathAction   = Prefix + "/actions/{verb}"
	PathActivate = Prefix + "/orchestrator/activate"
	PathConfig   = Prefix + "/orchestrator/config"
	PathSign     = Prefix + "/sign"
)

// The parameters of a query.
const (
	// QueryDryRun "true" estimates and sends nothing.
	QueryDryRun = "dryRun"
	// QueryWait says how long an action is waited for: WaitMined or WaitSubmitted.
	QueryWait = "wait"
	// QueryStep StepNext does the next open step of a plan only.
	QueryStep = "step"
	// QueryRound names a round.
	QueryRound = "round"

	WaitMined     = "mined"
	WaitSubmitted = "submitted"
	StepNext      = "next"
)

// TokenFile is the name of the file in the data directory that holds the token
// which changes ask for.
const TokenFile = "admin.token"

// EarningsPath returns where one orchestrator's earnings of a round are.
func EarningsPath(address core.Address, round protocol.Round) string {
	return strings.Replace(PathEarnings, "{address}", address.String(), 1) + "?" + QueryRound + "=" +
		strconv.FormatUint(uint64(round), 10)
}

// ActionPath returns where an action of this verb is asked for; verb is a Verb or what
// an action's own Verb returns.
func ActionPath(verb string) string {
	return strings.Replace(PathAction, "{verb}", Kebab(verb), 1)
}

// Kebab writes an action's verb as paths do: "setServiceURI" is "set-service-uri".
// What is written so already stays.
func Kebab(verb string) string {
	var b strings.Builder
	upper := false
	for i, r := range verb {
		is := r >= 'A' && r <= 'Z'
		if is && !upper && i > 0 {
			b.WriteByte('-')
		}
		upper = is
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}
