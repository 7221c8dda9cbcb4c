package adminapi

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Chain is the chain's last known state, without a request to an endpoint.
type Chain struct {
	// Known is false until the first block was read; then Head and Round are empty.
	Known bool `json:"known"`
	// Stale: no block for longer than the chain ever takes.
	Stale     bool       `json:"stale"`
	Head      Head       `json:"head"`
	Round     Round      `json:"round"`
	Endpoints []Endpoint `json:"endpoints"`
	// Contracts are the resolved addresses by their names in the Controller.
	Contracts map[string]core.Address `json:"contracts"`
	// PoolSize is the number of members of the next round's active set.
	PoolSize int `json:"poolSize"`
}

// Head is the newest block: Number counts layer 2, L1 is the layer-1 height in it.
type Head struct {
	Number  protocol.L2Block `json:"number"`
	Hash    protocol.Hash    `json:"hash"`
	L1      protocol.L1Block `json:"l1"`
	Time    time.Time        `json:"time"`
	BaseFee core.Wei         `json:"baseFee"`
}

// Round is the present round. Start, End and LocksAt are layer-1 blocks, Length and
// LockLength numbers of them.
type Round struct {
	Number          protocol.Round   `json:"number"`
	Initialized     bool             `json:"initialized"`
	Locked          bool             `json:"locked"`
	Start           protocol.L1Block `json:"start"`
	Length          protocol.L1Block `json:"length"`
	LockLength      protocol.L1Block `json:"lockLength"`
	LastInitialized protocol.Round   `json:"lastInitialized"`
	// End is the first block of the next round, LocksAt the first in which cuts
	// cannot be changed.
	End     protocol.L1Block `json:"end"`
	LocksAt protocol.L1Block `json:"locksAt"`
}

// Endpoint is one RPC endpoint. Name is the host, never the whole URL, which may
// hold a secret.
type Endpoint struct {
	Name  string           `json:"name"`
	State string           `json:"state"`
	Head  protocol.L2Block `json:"head"`
	// Lag is how many blocks it is behind the best.
	Lag uint64 `json:"lag"`
	// ErrorRate is from 0 to 1.
	ErrorRate float64 `json:"errorRate"`
	LatencyMs float64 `json:"latencyMs"`
	Detail    string  `json:"detail"`
}

// Parameters are what governance set. Inflation, its change and the target bonding
// rate are parts per billion; RoundLockAmount is parts per million of a round.
type Parameters struct {
	PoolMaxSize       int                 `json:"poolMaxSize"`
	PoolSize          int                 `json:"poolSize"`
	RoundLength       protocol.L1Block    `json:"roundLength"`
	RoundLockAmount   core.PerMillion     `json:"roundLockAmount"`
	UnbondingPeriod   protocol.Round      `json:"unbondingPeriod"`
	UnlockPeriod      protocol.Round      `json:"unlockPeriod"`
	TicketValidity    protocol.Round      `json:"ticketValidity"`
	Inflation         protocol.PerBillion `json:"inflation"`
	InflationChange   protocol.PerBillion `json:"inflationChange"`
	TargetBondingRate protocol.PerBillion `json:"targetBondingRate"`
	TotalBonded       core.LPT            `json:"totalBonded"`
	TotalSupply       core.LPT            `json:"totalSupply"`
	MintableTokens    core.LPT            `json:"mintableTokens"`
	MintedTokens      core.LPT            `json:"mintedTokens"`
	Paused            bool                `json:"paused"`
	// TreasuryCut and NextTreasuryCut, also parts per billion, are the treasury's part of
	// each reward in this round and in the next.
	TreasuryCut     protocol.PerBillion `json:"treasuryCut"`
	NextTreasuryCut protocol.PerBillion `json:"nextTreasuryCut"`
}
