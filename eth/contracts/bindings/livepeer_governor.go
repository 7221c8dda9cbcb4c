// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package bindings

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// LivepeerGovernorMetaData contains all meta data concerning the LivepeerGovernor contract.
var LivepeerGovernorMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"castVote\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"},{\"type\":\"uint8\",\"name\":\"support\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"castVoteWithReason\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"},{\"type\":\"uint8\",\"name\":\"support\"},{\"type\":\"string\",\"name\":\"reason\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"hasVoted\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"},{\"type\":\"address\",\"name\":\"account\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"state\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"}],\"outputs\":[{\"type\":\"uint8\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"proposalVotes\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"againstVotes\"},{\"type\":\"uint256\",\"name\":\"forVotes\"},{\"type\":\"uint256\",\"name\":\"abstainVotes\"}]},{\"type\":\"function\",\"name\":\"proposalSnapshot\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"proposalDeadline\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getVotes\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"},{\"type\":\"uint256\",\"name\":\"timepoint\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"clock\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint48\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"votingDelay\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"votingPeriod\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"proposalThreshold\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"quorum\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"timepoint\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"quota\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"VoteCast\",\"inputs\":[{\"type\":\"address\",\"name\":\"voter\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"proposalId\"},{\"type\":\"uint8\",\"name\":\"support\"},{\"type\":\"uint256\",\"name\":\"weight\"},{\"type\":\"string\",\"name\":\"reason\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ProposalCreated\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"proposalId\"},{\"type\":\"address\",\"name\":\"proposer\"},{\"type\":\"address[]\",\"name\":\"targets\"},{\"type\":\"uint256[]\",\"name\":\"values\"},{\"type\":\"string[]\",\"name\":\"signatures\"},{\"type\":\"bytes[]\",\"name\":\"calldatas\"},{\"type\":\"uint256\",\"name\":\"voteStart\"},{\"type\":\"uint256\",\"name\":\"voteEnd\"},{\"type\":\"string\",\"name\":\"description\"}]},{\"type\":\"error\",\"name\":\"InvalidVoteType\",\"inputs\":[{\"type\":\"uint8\",\"name\":\"voteType\"}]},{\"type\":\"error\",\"name\":\"VoteAlreadyCast\",\"inputs\":[]}]",
	ID:  "LivepeerGovernor",
}

// LivepeerGovernor is an auto generated Go binding around an Ethereum contract.
type LivepeerGovernor struct {
	abi abi.ABI
}

// NewLivepeerGovernor creates a new instance of LivepeerGovernor.
func NewLivepeerGovernor() *LivepeerGovernor {
	parsed, err := LivepeerGovernorMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &LivepeerGovernor{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *LivepeerGovernor) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackCastVote is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x56781388.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function castVote(uint256 proposalId, uint8 support) returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackCastVote(proposalId *big.Int, support uint8) []byte {
	enc, err := livepeerGovernor.abi.Pack("castVote", proposalId, support)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCastVote is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x56781388.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function castVote(uint256 proposalId, uint8 support) returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackCastVote(proposalId *big.Int, support uint8) ([]byte, error) {
	return livepeerGovernor.abi.Pack("castVote", proposalId, support)
}

// UnpackCastVote is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x56781388.
//
// Solidity: function castVote(uint256 proposalId, uint8 support) returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackCastVote(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("castVote", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackCastVoteWithReason is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7b3c71d3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function castVoteWithReason(uint256 proposalId, uint8 support, string reason) returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackCastVoteWithReason(proposalId *big.Int, support uint8, reason string) []byte {
	enc, err := livepeerGovernor.abi.Pack("castVoteWithReason", proposalId, support, reason)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCastVoteWithReason is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7b3c71d3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function castVoteWithReason(uint256 proposalId, uint8 support, string reason) returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackCastVoteWithReason(proposalId *big.Int, support uint8, reason string) ([]byte, error) {
	return livepeerGovernor.abi.Pack("castVoteWithReason", proposalId, support, reason)
}

// UnpackCastVoteWithReason is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7b3c71d3.
//
// Solidity: function castVoteWithReason(uint256 proposalId, uint8 support, string reason) returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackCastVoteWithReason(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("castVoteWithReason", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackClock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x91ddadf4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function clock() view returns(uint48)
func (livepeerGovernor *LivepeerGovernor) PackClock() []byte {
	enc, err := livepeerGovernor.abi.Pack("clock")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackClock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x91ddadf4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function clock() view returns(uint48)
func (livepeerGovernor *LivepeerGovernor) TryPackClock() ([]byte, error) {
	return livepeerGovernor.abi.Pack("clock")
}

// UnpackClock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x91ddadf4.
//
// Solidity: function clock() view returns(uint48)
func (livepeerGovernor *LivepeerGovernor) UnpackClock(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("clock", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeb9019d4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getVotes(address account, uint256 timepoint) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackGetVotes(account common.Address, timepoint *big.Int) []byte {
	enc, err := livepeerGovernor.abi.Pack("getVotes", account, timepoint)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeb9019d4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getVotes(address account, uint256 timepoint) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackGetVotes(account common.Address, timepoint *big.Int) ([]byte, error) {
	return livepeerGovernor.abi.Pack("getVotes", account, timepoint)
}

// UnpackGetVotes is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xeb9019d4.
//
// Solidity: function getVotes(address account, uint256 timepoint) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackGetVotes(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("getVotes", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackHasVoted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x43859632.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function hasVoted(uint256 proposalId, address account) view returns(bool)
func (livepeerGovernor *LivepeerGovernor) PackHasVoted(proposalId *big.Int, account common.Address) []byte {
	enc, err := livepeerGovernor.abi.Pack("hasVoted", proposalId, account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackHasVoted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x43859632.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function hasVoted(uint256 proposalId, address account) view returns(bool)
func (livepeerGovernor *LivepeerGovernor) TryPackHasVoted(proposalId *big.Int, account common.Address) ([]byte, error) {
	return livepeerGovernor.abi.Pack("hasVoted", proposalId, account)
}

// UnpackHasVoted is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x43859632.
//
// Solidity: function hasVoted(uint256 proposalId, address account) view returns(bool)
func (livepeerGovernor *LivepeerGovernor) UnpackHasVoted(data []byte) (bool, error) {
	out, err := livepeerGovernor.abi.Unpack("hasVoted", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackProposalDeadline is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc01f9e37.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposalDeadline(uint256 proposalId) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackProposalDeadline(proposalId *big.Int) []byte {
	enc, err := livepeerGovernor.abi.Pack("proposalDeadline", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposalDeadline is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc01f9e37.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposalDeadline(uint256 proposalId) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackProposalDeadline(proposalId *big.Int) ([]byte, error) {
	return livepeerGovernor.abi.Pack("proposalDeadline", proposalId)
}

// UnpackProposalDeadline is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc01f9e37.
//
// Solidity: function proposalDeadline(uint256 proposalId) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackProposalDeadline(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("proposalDeadline", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposalSnapshot is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2d63f693.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposalSnapshot(uint256 proposalId) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackProposalSnapshot(proposalId *big.Int) []byte {
	enc, err := livepeerGovernor.abi.Pack("proposalSnapshot", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposalSnapshot is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2d63f693.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposalSnapshot(uint256 proposalId) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackProposalSnapshot(proposalId *big.Int) ([]byte, error) {
	return livepeerGovernor.abi.Pack("proposalSnapshot", proposalId)
}

// UnpackProposalSnapshot is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2d63f693.
//
// Solidity: function proposalSnapshot(uint256 proposalId) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackProposalSnapshot(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("proposalSnapshot", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposalThreshold is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb58131b0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposalThreshold() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackProposalThreshold() []byte {
	enc, err := livepeerGovernor.abi.Pack("proposalThreshold")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposalThreshold is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb58131b0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposalThreshold() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackProposalThreshold() ([]byte, error) {
	return livepeerGovernor.abi.Pack("proposalThreshold")
}

// UnpackProposalThreshold is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb58131b0.
//
// Solidity: function proposalThreshold() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackProposalThreshold(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("proposalThreshold", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposalVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x544ffc9c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposalVotes(uint256 proposalId) view returns(uint256 againstVotes, uint256 forVotes, uint256 abstainVotes)
func (livepeerGovernor *LivepeerGovernor) PackProposalVotes(proposalId *big.Int) []byte {
	enc, err := livepeerGovernor.abi.Pack("proposalVotes", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposalVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x544ffc9c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposalVotes(uint256 proposalId) view returns(uint256 againstVotes, uint256 forVotes, uint256 abstainVotes)
func (livepeerGovernor *LivepeerGovernor) TryPackProposalVotes(proposalId *big.Int) ([]byte, error) {
	return livepeerGovernor.abi.Pack("proposalVotes", proposalId)
}

// ProposalVotesOutput serves as a container for the return parameters of contract
// method ProposalVotes.
type ProposalVotesOutput struct {
	AgainstVotes *big.Int
	ForVotes     *big.Int
	AbstainVotes *big.Int
}

// UnpackProposalVotes is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x544ffc9c.
//
// Solidity: function proposalVotes(uint256 proposalId) view returns(uint256 againstVotes, uint256 forVotes, uint256 abstainVotes)
func (livepeerGovernor *LivepeerGovernor) UnpackProposalVotes(data []byte) (ProposalVotesOutput, error) {
	out, err := livepeerGovernor.abi.Unpack("proposalVotes", data)
	outstruct := new(ProposalVotesOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.AgainstVotes = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.ForVotes = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	outstruct.AbstainVotes = abi.ConvertType(out[2], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf8ce560a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function quorum(uint256 timepoint) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackQuorum(timepoint *big.Int) []byte {
	enc, err := livepeerGovernor.abi.Pack("quorum", timepoint)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf8ce560a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function quorum(uint256 timepoint) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackQuorum(timepoint *big.Int) ([]byte, error) {
	return livepeerGovernor.abi.Pack("quorum", timepoint)
}

// UnpackQuorum is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf8ce560a.
//
// Solidity: function quorum(uint256 timepoint) view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackQuorum(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("quorum", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackQuota is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcebe09c9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function quota() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackQuota() []byte {
	enc, err := livepeerGovernor.abi.Pack("quota")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackQuota is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcebe09c9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function quota() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackQuota() ([]byte, error) {
	return livepeerGovernor.abi.Pack("quota")
}

// UnpackQuota is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xcebe09c9.
//
// Solidity: function quota() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackQuota(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("quota", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackState is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3e4f49e6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function state(uint256 proposalId) view returns(uint8)
func (livepeerGovernor *LivepeerGovernor) PackState(proposalId *big.Int) []byte {
	enc, err := livepeerGovernor.abi.Pack("state", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackState is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3e4f49e6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function state(uint256 proposalId) view returns(uint8)
func (livepeerGovernor *LivepeerGovernor) TryPackState(proposalId *big.Int) ([]byte, error) {
	return livepeerGovernor.abi.Pack("state", proposalId)
}

// UnpackState is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3e4f49e6.
//
// Solidity: function state(uint256 proposalId) view returns(uint8)
func (livepeerGovernor *LivepeerGovernor) UnpackState(data []byte) (uint8, error) {
	out, err := livepeerGovernor.abi.Unpack("state", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackVotingDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3932abb1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function votingDelay() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackVotingDelay() []byte {
	enc, err := livepeerGovernor.abi.Pack("votingDelay")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackVotingDelay is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3932abb1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function votingDelay() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackVotingDelay() ([]byte, error) {
	return livepeerGovernor.abi.Pack("votingDelay")
}

// UnpackVotingDelay is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3932abb1.
//
// Solidity: function votingDelay() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackVotingDelay(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("votingDelay", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackVotingPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x02a251a3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function votingPeriod() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) PackVotingPeriod() []byte {
	enc, err := livepeerGovernor.abi.Pack("votingPeriod")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackVotingPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x02a251a3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function votingPeriod() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) TryPackVotingPeriod() ([]byte, error) {
	return livepeerGovernor.abi.Pack("votingPeriod")
}

// UnpackVotingPeriod is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x02a251a3.
//
// Solidity: function votingPeriod() view returns(uint256)
func (livepeerGovernor *LivepeerGovernor) UnpackVotingPeriod(data []byte) (*big.Int, error) {
	out, err := livepeerGovernor.abi.Unpack("votingPeriod", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// LivepeerGovernorProposalCreated represents a ProposalCreated event raised by the LivepeerGovernor contract.
type LivepeerGovernorProposalCreated struct {
	ProposalId  *big.Int
	Proposer    common.Address
	Targets     []common.Address
	Values      []*big.Int
	Signatures  []string
	Calldatas   [][]byte
	VoteStart   *big.Int
	VoteEnd     *big.Int
	Description string
	Raw         *types.Log // Blockchain specific contextual infos
}

const LivepeerGovernorProposalCreatedEventName = "ProposalCreated"

// ContractEventName returns the user-defined event name.
func (LivepeerGovernorProposalCreated) ContractEventName() string {
	return LivepeerGovernorProposalCreatedEventName
}

// UnpackProposalCreatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)
func (livepeerGovernor *LivepeerGovernor) UnpackProposalCreatedEvent(log *types.Log) (*LivepeerGovernorProposalCreated, error) {
	event := "ProposalCreated"
	if len(log.Topics) == 0 || log.Topics[0] != livepeerGovernor.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(LivepeerGovernorProposalCreated)
	if len(log.Data) > 0 {
		if err := livepeerGovernor.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range livepeerGovernor.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// LivepeerGovernorVoteCast represents a VoteCast event raised by the LivepeerGovernor contract.
type LivepeerGovernorVoteCast struct {
	Voter      common.Address
	ProposalId *big.Int
	Support    uint8
	Weight     *big.Int
	Reason     string
	Raw        *types.Log // Blockchain specific contextual infos
}

const LivepeerGovernorVoteCastEventName = "VoteCast"

// ContractEventName returns the user-defined event name.
func (LivepeerGovernorVoteCast) ContractEventName() string {
	return LivepeerGovernorVoteCastEventName
}

// UnpackVoteCastEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)
func (livepeerGovernor *LivepeerGovernor) UnpackVoteCastEvent(log *types.Log) (*LivepeerGovernorVoteCast, error) {
	event := "VoteCast"
	if len(log.Topics) == 0 || log.Topics[0] != livepeerGovernor.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(LivepeerGovernorVoteCast)
	if len(log.Data) > 0 {
		if err := livepeerGovernor.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range livepeerGovernor.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (livepeerGovernor *LivepeerGovernor) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], livepeerGovernor.abi.Errors["InvalidVoteType"].ID.Bytes()[:4]) {
		return livepeerGovernor.UnpackInvalidVoteTypeError(raw[4:])
	}
	if bytes.Equal(raw[:4], livepeerGovernor.abi.Errors["VoteAlreadyCast"].ID.Bytes()[:4]) {
		return livepeerGovernor.UnpackVoteAlreadyCastError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// LivepeerGovernorInvalidVoteType represents a InvalidVoteType error raised by the LivepeerGovernor contract.
type LivepeerGovernorInvalidVoteType struct {
	VoteType uint8
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidVoteType(uint8 voteType)
func LivepeerGovernorInvalidVoteTypeErrorID() common.Hash {
	return common.HexToHash("0x2081b223eb4f2c66ee12a90589ced2b463980c4a7feadb289677bc830f87b042")
}

// UnpackInvalidVoteTypeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidVoteType(uint8 voteType)
func (livepeerGovernor *LivepeerGovernor) UnpackInvalidVoteTypeError(raw []byte) (*LivepeerGovernorInvalidVoteType, error) {
	out := new(LivepeerGovernorInvalidVoteType)
	if err := livepeerGovernor.abi.UnpackIntoInterface(out, "InvalidVoteType", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// LivepeerGovernorVoteAlreadyCast represents a VoteAlreadyCast error raised by the LivepeerGovernor contract.
type LivepeerGovernorVoteAlreadyCast struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error VoteAlreadyCast()
func LivepeerGovernorVoteAlreadyCastErrorID() common.Hash {
	return common.HexToHash("0xb3808bab07fe343d08d014f65e483d5ee08fc914b4517f384569c22633965c40")
}

// UnpackVoteAlreadyCastError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error VoteAlreadyCast()
func (livepeerGovernor *LivepeerGovernor) UnpackVoteAlreadyCastError(raw []byte) (*LivepeerGovernorVoteAlreadyCast, error) {
	out := new(LivepeerGovernorVoteAlreadyCast)
	if err := livepeerGovernor.abi.UnpackIntoInterface(out, "VoteAlreadyCast", raw); err != nil {
		return nil, err
	}
	return out, nil
}
