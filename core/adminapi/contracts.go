package adminapi

import "github.com/tuttinode/tutti/core"

// PathContracts tells which contracts the key signs for; PathContractsConfirm takes a
// ContractsConfirmation.
const (
	PathContracts        = Prefix + "/contracts"
	PathContractsConfirm = Prefix + "/contracts/confirm"
)

// Contracts are the addresses that the node trusts, and those that the network's
// Controller answers by the word of the endpoints.
type Contracts struct {
	Contracts []Contract `json:"contracts"`
	// Changed: the two differ, and nothing is signed until that is decided.
	Changed bool `json:"changed"`
}

// Contract is one contract. An address is zero for one that is not known.
type Contract struct {
	Name     string       `json:"name"`
	Trusted  core.Address `json:"trusted"`
	Answered core.Address `json:"answered"`
}

// ContractsConfirmation has the node trust what the Controller answers: the contracts
// as the operator saw them.
type ContractsConfirmation struct {
	Contracts []ConfirmedContract `json:"contracts"`
}

// ConfirmedContract is one contract of a ContractsConfirmation.
type ConfirmedContract struct {
	Name    string       `json:"name"`
	Address core.Address `json:"address"`
}
