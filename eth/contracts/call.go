package contracts

import (
	"bytes"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
)

// Call is one transaction's meaning: what is called, where and with how much ETH.
// Calls makes it; nothing else can, and a key signs nothing else. The zero Call is
// not Valid. A Call does not change.
type Call struct {
	name  string
	to    core.Address
	data  []byte
	value core.Wei
	about string
}

// Name returns the action's name: the Verb of the protocol.Action, where there is one.
func (c Call) Name() string { return c.name }

// To returns the contract.
func (c Call) To() common.Address { return common.Address(c.to) }

// Data returns the call data, a copy.
func (c Call) Data() []byte { return bytes.Clone(c.data) }

// Value returns the ETH that goes with it, in wei, a copy.
func (c Call) Value() *big.Int { return c.value.Big() }

// Describe says in words what happens, for confirmations and audit logs: "bond
// 1000 LPT to 0x…".
func (c Call) Describe() string { return c.about }

// Valid reports whether the call was made by Calls for a contract that exists.
func (c Call) Valid() bool { return c.name != "" && !c.to.IsZero() && len(c.data) >= 4 }

// Calls makes the calls of one network.
type Calls struct{ a Addresses }

// NewCalls makes calls to the contracts at these addresses.
func NewCalls(a Addresses) Calls { return Calls{a} }

// Names of calls that are no protocol.Action.
const (
	verbFundReserve = "fundReserve"
)

func call(name string, to core.Address, data []byte, about string) Call {
	return Call{name: name, to: to, data: data, about: about}
}

func (c Call) paying(value core.Wei) Call {
	c.value = value
	return c
}

// Hints are the neighbors an orchestrator is expected to have in the pool after
// the call: Prev has more stake, Next less, zero is none. Wrong ones cost gas and
// nothing else; without any the shorter function is called.
type Hints struct{ Prev, Next core.Address }

// IsZero reports whether there is no hint.
func (h Hints) IsZero() bool { return h == Hints{} }

func (h Hints) prev() common.Address { return common.Address(h.Prev) }
func (h Hints) next() common.Address { return common.Address(h.Next) }
