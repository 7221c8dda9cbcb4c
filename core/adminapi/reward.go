package adminapi

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Reward is the state of the machine that calls reward once per round.
type Reward struct {
	// Mode is auto, on or off; State is off, idle, waiting, sending, done or
	// failed.
	Mode            string         `json:"mode"`
	State           string         `json:"state"`
	Round           protocol.Round `json:"round"`
	LastRewardRound protocol.Round `json:"lastRewardRound"`
	// NextTry is null where none is planned.
	NextTry *time.Time `json:"nextTry"`
	// Reason says why it is in this state; Code is the condition behind a failure.
	Reason string `json:"reason"`
	Code   string `json:"code"`
	// Tx is the transaction on its way, null without one.
	Tx      *protocol.TxHash `json:"tx"`
	History []RewardCall     `json:"history"`
}

// RewardCall is one round's reward, newest first.
type RewardCall struct {
	Round   protocol.Round   `json:"round"`
	Amount  core.LPT         `json:"amount"`
	Tx      *protocol.TxHash `json:"tx"`
	Time    time.Time        `json:"time"`
	Outcome string           `json:"outcome"`
	Reason  string           `json:"reason"`
}
