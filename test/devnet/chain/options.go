package chain

import (
	"crypto/ecdsa"
	"log/slog"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Options describe the chain that New starts.
type Options struct {
	// ChainID is the chain's number, for clients and signatures.
	ChainID uint64
	// Balances are the accounts that have ether from the beginning.
	Balances map[common.Address]core.Wei
	// BaseFee is the price of gas in every block until SetBaseFee.
	BaseFee core.Wei
	// L1Start is the L1 block of the genesis.
	L1Start protocol.L1Block
	// L1Time is how often the L1 block advances; 0 is never by itself.
	L1Time time.Duration
	// BlockTime is how often a block is made; 0 is only when a transaction comes.
	BlockTime time.Duration
	// Clock is the code of the contract that holds the L1 block. Its slot 0 is the number, its slot 1 the
	// account that may advance it.
	Clock []byte
	// Now is the time; nil is time.Now.
	Now func() time.Time
	// Log takes what goes wrong. It is never nil.
	Log *slog.Logger
}

// ClockAddress is where the system contract of Arbitrum is found. Read-only.
var ClockAddress = common.BytesToAddress([]byte{0x64})

// Key derives a key from a name, the same on every such chain: any client can compute it, so it must never
// hold anything of value.
func Key(name string) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(name)))
	if err != nil {
		// One hash in 2^128 is no key, and the names are ours.
		panic("the hash of " + name + " is no private key: " + err.Error())
	}
	return key
}

// Address returns the account of a key.
func Address(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

// sequencer signs the transactions that advance the L1 clock.
func sequencer() *ecdsa.PrivateKey { return Key("tutti devnet sequencer") }

// gasLimit is a block's, as Arbitrum reports it: more than any block can use.
const gasLimit = 1 << 50

// sequencerBalance pays for the clock for longer than a test chain lives, whatever
// the base fee is set to.
func sequencerBalance() *big.Int { return new(big.Int).Lsh(big.NewInt(1), 200) }
