package account

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Permit says whether a call is one that the node makes: a known function of a
// known contract.
type Permit func(to core.Address, data []byte, value core.Wei) bool

// Signer is a key. It is safe for concurrent use, and prints as its address.
type Signer struct {
	address core.Address
	permit  atomic.Pointer[Permit]
	decrypt func() error
	// opened is closed when key and failed are set.
	opened chan struct{}
	key    *ecdsa.PrivateKey
	failed error
}

// Open tries the passphrase, once; signatures wait for it meanwhile. The errors are those of Keystore.Unlock.
func (s *Signer) Open() error { return s.decrypt() }

// private waits for the open key.
func (s *Signer) private() (*ecdsa.PrivateKey, error) {
	<-s.opened
	return s.key, s.failed
}

// Address is whose key it is.
func (s *Signer) Address() core.Address { return s.address }

// String returns the address; the key is never printed.
func (s *Signer) String() string { return s.address.String() }

// GoString returns the address.
func (s *Signer) GoString() string { return s.String() }

// Format keeps every verb from the key.
func (s *Signer) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// Allow says what may be signed from now on. Before, nothing may but an empty
// transaction of the account to itself, which takes the place of one that was
// given up.
func (s *Signer) Allow(p Permit) { s.permit.Store(&p) }

// Call is what a transaction does.
type Call struct {
	To    core.Address
	Data  []byte
	Value core.Wei
}

// Terms are what a transaction has besides its call.
type Terms struct {
	ChainID, Nonce, Gas uint64
	FeeCap, Tip         core.Wei
}

// Sign makes a transaction of a call that is permitted; any other is the fault
// SigningRefused.
func (s *Signer) Sign(c Call, t Terms) (*types.Transaction, error) {
	if !s.permitted(c) {
		return nil, fault.New(fault.SigningRefused, "sign a transaction", "to "+c.To.String())
	}
	key, err := s.private()
	if err != nil {
		return nil, err
	}
	to := common.Address(c.To)
	chain := new(big.Int).SetUint64(t.ChainID)
	return types.SignNewTx(key, types.LatestSignerForChainID(chain), &types.DynamicFeeTx{
		ChainID: chain, Nonce: t.Nonce, Gas: t.Gas, GasFeeCap: t.FeeCap.Big(), GasTipCap: t.Tip.Big(),
		To: &to, Value: c.Value.Big(), Data: c.Data,
	})
}

func (s *Signer) permitted(c Call) bool {
	if c.To == s.address {
		return len(c.Data) == 0 && c.Value.IsZero()
	}
	p := s.permit.Load()
	return p != nil && (*p)(c.To, c.Data, c.Value)
}
