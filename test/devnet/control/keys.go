package control

import (
	"crypto/ecdsa"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// The keys of a test chain are hashes of names, the same on every chain and public: nothing of value may ever
// belong to them.

// AccountKey returns the key of the n-th prefunded account.
func AccountKey(n uint64) *ecdsa.PrivateKey { return key(fmt.Sprintf("tutti devnet account %d", n)) }

// OrchestratorKey returns the key of the n-th orchestrator that Populate adds.
func OrchestratorKey(n uint64) *ecdsa.PrivateKey {
	return key(fmt.Sprintf("tutti devnet orchestrator %d", n))
}

// DelegatorKey returns the key of a delegator of the n-th orchestrator.
func DelegatorKey(orchestrator, n uint64) *ecdsa.PrivateKey {
	return key(fmt.Sprintf("tutti devnet orchestrator %d delegator %d", orchestrator, n))
}

// DeployerKey returns the key of the account that deployed the contracts and owns them.
func DeployerKey() *ecdsa.PrivateKey { return key("tutti devnet deployer") }

// Address returns the account of a key.
func Address(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

func key(name string) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA(crypto.Keccak256([]byte(name)))
	if err != nil {
		// One hash in 2^128 is no key, and the names are fixed.
		panic("the hash of " + name + " is no private key: " + err.Error())
	}
	return k
}
