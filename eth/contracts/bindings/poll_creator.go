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

// PollCreatorMetaData contains all meta data concerning the PollCreator contract.
var PollCreatorMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"createPoll\",\"inputs\":[{\"type\":\"bytes\",\"name\":\"proposal\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"QUORUM\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"QUOTA\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"POLL_PERIOD\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"POLL_CREATION_COST\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"PollCreated\",\"inputs\":[{\"type\":\"address\",\"name\":\"poll\",\"indexed\":true},{\"type\":\"bytes\",\"name\":\"proposal\"},{\"type\":\"uint256\",\"name\":\"endBlock\"},{\"type\":\"uint256\",\"name\":\"quorum\"},{\"type\":\"uint256\",\"name\":\"quota\"}]}]",
	ID:  "PollCreator",
}

// PollCreator is an auto generated Go binding around an Ethereum contract.
type PollCreator struct {
	abi abi.ABI
}

// NewPollCreator creates a new instance of PollCreator.
func NewPollCreator() *PollCreator {
	parsed, err := PollCreatorMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &PollCreator{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *PollCreator) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackPOLLCREATIONCOST is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5359fbc0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function POLL_CREATION_COST() view returns(uint256)
func (pollCreator *PollCreator) PackPOLLCREATIONCOST() []byte {
	enc, err := pollCreator.abi.Pack("POLL_CREATION_COST")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPOLLCREATIONCOST is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5359fbc0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function POLL_CREATION_COST() view returns(uint256)
func (pollCreator *PollCreator) TryPackPOLLCREATIONCOST() ([]byte, error) {
	return pollCreator.abi.Pack("POLL_CREATION_COST")
}

// UnpackPOLLCREATIONCOST is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5359fbc0.
//
// Solidity: function POLL_CREATION_COST() view returns(uint256)
func (pollCreator *PollCreator) UnpackPOLLCREATIONCOST(data []byte) (*big.Int, error) {
	out, err := pollCreator.abi.Unpack("POLL_CREATION_COST", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPOLLPERIOD is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcb61e46e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function POLL_PERIOD() view returns(uint256)
func (pollCreator *PollCreator) PackPOLLPERIOD() []byte {
	enc, err := pollCreator.abi.Pack("POLL_PERIOD")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPOLLPERIOD is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcb61e46e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function POLL_PERIOD() view returns(uint256)
func (pollCreator *PollCreator) TryPackPOLLPERIOD() ([]byte, error) {
	return pollCreator.abi.Pack("POLL_PERIOD")
}

// UnpackPOLLPERIOD is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xcb61e46e.
//
// Solidity: function POLL_PERIOD() view returns(uint256)
func (pollCreator *PollCreator) UnpackPOLLPERIOD(data []byte) (*big.Int, error) {
	out, err := pollCreator.abi.Unpack("POLL_PERIOD", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackQUORUM is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2e80d9b6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function QUORUM() view returns(uint256)
func (pollCreator *PollCreator) PackQUORUM() []byte {
	enc, err := pollCreator.abi.Pack("QUORUM")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackQUORUM is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2e80d9b6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function QUORUM() view returns(uint256)
func (pollCreator *PollCreator) TryPackQUORUM() ([]byte, error) {
	return pollCreator.abi.Pack("QUORUM")
}

// UnpackQUORUM is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2e80d9b6.
//
// Solidity: function QUORUM() view returns(uint256)
func (pollCreator *PollCreator) UnpackQUORUM(data []byte) (*big.Int, error) {
	out, err := pollCreator.abi.Unpack("QUORUM", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackQUOTA is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa502303b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function QUOTA() view returns(uint256)
func (pollCreator *PollCreator) PackQUOTA() []byte {
	enc, err := pollCreator.abi.Pack("QUOTA")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackQUOTA is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa502303b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function QUOTA() view returns(uint256)
func (pollCreator *PollCreator) TryPackQUOTA() ([]byte, error) {
	return pollCreator.abi.Pack("QUOTA")
}

// UnpackQUOTA is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa502303b.
//
// Solidity: function QUOTA() view returns(uint256)
func (pollCreator *PollCreator) UnpackQUOTA(data []byte) (*big.Int, error) {
	out, err := pollCreator.abi.Unpack("QUOTA", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackCreatePoll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4d2942ab.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function createPoll(bytes proposal) returns()
func (pollCreator *PollCreator) PackCreatePoll(proposal []byte) []byte {
	enc, err := pollCreator.abi.Pack("createPoll", proposal)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCreatePoll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4d2942ab.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function createPoll(bytes proposal) returns()
func (pollCreator *PollCreator) TryPackCreatePoll(proposal []byte) ([]byte, error) {
	return pollCreator.abi.Pack("createPoll", proposal)
}

// PollCreatorPollCreated represents a PollCreated event raised by the PollCreator contract.
type PollCreatorPollCreated struct {
	Poll     common.Address
	Proposal []byte
	EndBlock *big.Int
	Quorum   *big.Int
	Quota    *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const PollCreatorPollCreatedEventName = "PollCreated"

// ContractEventName returns the user-defined event name.
func (PollCreatorPollCreated) ContractEventName() string {
	return PollCreatorPollCreatedEventName
}

// UnpackPollCreatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event PollCreated(address indexed poll, bytes proposal, uint256 endBlock, uint256 quorum, uint256 quota)
func (pollCreator *PollCreator) UnpackPollCreatedEvent(log *types.Log) (*PollCreatorPollCreated, error) {
	event := "PollCreated"
	if len(log.Topics) == 0 || log.Topics[0] != pollCreator.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(PollCreatorPollCreated)
	if len(log.Data) > 0 {
		if err := pollCreator.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range pollCreator.abi.Events[event].Inputs {
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
