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

// PollMetaData contains all meta data concerning the Poll contract.
var PollMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"vote\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"choiceID\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"endBlock\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Vote\",\"inputs\":[{\"type\":\"address\",\"name\":\"voter\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"choiceID\"}]}]",
	ID:  "Poll",
}

// Poll is an auto generated Go binding around an Ethereum contract.
type Poll struct {
	abi abi.ABI
}

// NewPoll creates a new instance of Poll.
func NewPoll() *Poll {
	parsed, err := PollMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Poll{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Poll) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackEndBlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x083c6323.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function endBlock() view returns(uint256)
func (poll *Poll) PackEndBlock() []byte {
	enc, err := poll.abi.Pack("endBlock")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackEndBlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x083c6323.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function endBlock() view returns(uint256)
func (poll *Poll) TryPackEndBlock() ([]byte, error) {
	return poll.abi.Pack("endBlock")
}

// UnpackEndBlock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x083c6323.
//
// Solidity: function endBlock() view returns(uint256)
func (poll *Poll) UnpackEndBlock(data []byte) (*big.Int, error) {
	out, err := poll.abi.Unpack("endBlock", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackVote is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0121b93f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function vote(uint256 choiceID) returns()
func (poll *Poll) PackVote(choiceID *big.Int) []byte {
	enc, err := poll.abi.Pack("vote", choiceID)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackVote is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0121b93f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function vote(uint256 choiceID) returns()
func (poll *Poll) TryPackVote(choiceID *big.Int) ([]byte, error) {
	return poll.abi.Pack("vote", choiceID)
}

// PollVote represents a Vote event raised by the Poll contract.
type PollVote struct {
	Voter    common.Address
	ChoiceID *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const PollVoteEventName = "Vote"

// ContractEventName returns the user-defined event name.
func (PollVote) ContractEventName() string {
	return PollVoteEventName
}

// UnpackVoteEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Vote(address indexed voter, uint256 choiceID)
func (poll *Poll) UnpackVoteEvent(log *types.Log) (*PollVote, error) {
	event := "Vote"
	if len(log.Topics) == 0 || log.Topics[0] != poll.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(PollVote)
	if len(log.Data) > 0 {
		if err := poll.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range poll.abi.Events[event].Inputs {
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
