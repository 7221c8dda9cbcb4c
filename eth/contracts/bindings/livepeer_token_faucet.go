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

// LivepeerTokenFaucetMetaData contains all meta data concerning the LivepeerTokenFaucet contract.
var LivepeerTokenFaucetMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"request\",\"inputs\":[],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"nextValidRequest\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"requestAmount\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"requestWait\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"isWhitelisted\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Request\",\"inputs\":[{\"type\":\"address\",\"name\":\"to\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"amount\"}]}]",
	ID:  "LivepeerTokenFaucet",
}

// LivepeerTokenFaucet is an auto generated Go binding around an Ethereum contract.
type LivepeerTokenFaucet struct {
	abi abi.ABI
}

// NewLivepeerTokenFaucet creates a new instance of LivepeerTokenFaucet.
func NewLivepeerTokenFaucet() *LivepeerTokenFaucet {
	parsed, err := LivepeerTokenFaucetMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &LivepeerTokenFaucet{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *LivepeerTokenFaucet) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackIsWhitelisted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3af32abf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isWhitelisted(address account) view returns(bool)
func (livepeerTokenFaucet *LivepeerTokenFaucet) PackIsWhitelisted(account common.Address) []byte {
	enc, err := livepeerTokenFaucet.abi.Pack("isWhitelisted", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsWhitelisted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3af32abf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isWhitelisted(address account) view returns(bool)
func (livepeerTokenFaucet *LivepeerTokenFaucet) TryPackIsWhitelisted(account common.Address) ([]byte, error) {
	return livepeerTokenFaucet.abi.Pack("isWhitelisted", account)
}

// UnpackIsWhitelisted is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3af32abf.
//
// Solidity: function isWhitelisted(address account) view returns(bool)
func (livepeerTokenFaucet *LivepeerTokenFaucet) UnpackIsWhitelisted(data []byte) (bool, error) {
	out, err := livepeerTokenFaucet.abi.Unpack("isWhitelisted", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackNextValidRequest is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x207f5ce6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function nextValidRequest(address account) view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) PackNextValidRequest(account common.Address) []byte {
	enc, err := livepeerTokenFaucet.abi.Pack("nextValidRequest", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackNextValidRequest is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x207f5ce6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function nextValidRequest(address account) view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) TryPackNextValidRequest(account common.Address) ([]byte, error) {
	return livepeerTokenFaucet.abi.Pack("nextValidRequest", account)
}

// UnpackNextValidRequest is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x207f5ce6.
//
// Solidity: function nextValidRequest(address account) view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) UnpackNextValidRequest(data []byte) (*big.Int, error) {
	out, err := livepeerTokenFaucet.abi.Unpack("nextValidRequest", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackRequest is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x338cdca1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function request() returns()
func (livepeerTokenFaucet *LivepeerTokenFaucet) PackRequest() []byte {
	enc, err := livepeerTokenFaucet.abi.Pack("request")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRequest is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x338cdca1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function request() returns()
func (livepeerTokenFaucet *LivepeerTokenFaucet) TryPackRequest() ([]byte, error) {
	return livepeerTokenFaucet.abi.Pack("request")
}

// PackRequestAmount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf52ec46c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function requestAmount() view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) PackRequestAmount() []byte {
	enc, err := livepeerTokenFaucet.abi.Pack("requestAmount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRequestAmount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf52ec46c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function requestAmount() view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) TryPackRequestAmount() ([]byte, error) {
	return livepeerTokenFaucet.abi.Pack("requestAmount")
}

// UnpackRequestAmount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf52ec46c.
//
// Solidity: function requestAmount() view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) UnpackRequestAmount(data []byte) (*big.Int, error) {
	out, err := livepeerTokenFaucet.abi.Unpack("requestAmount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackRequestWait is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d6c51b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function requestWait() view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) PackRequestWait() []byte {
	enc, err := livepeerTokenFaucet.abi.Pack("requestWait")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRequestWait is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d6c51b3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function requestWait() view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) TryPackRequestWait() ([]byte, error) {
	return livepeerTokenFaucet.abi.Pack("requestWait")
}

// UnpackRequestWait is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0d6c51b3.
//
// Solidity: function requestWait() view returns(uint256)
func (livepeerTokenFaucet *LivepeerTokenFaucet) UnpackRequestWait(data []byte) (*big.Int, error) {
	out, err := livepeerTokenFaucet.abi.Unpack("requestWait", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// LivepeerTokenFaucetRequest represents a Request event raised by the LivepeerTokenFaucet contract.
type LivepeerTokenFaucetRequest struct {
	To     common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const LivepeerTokenFaucetRequestEventName = "Request"

// ContractEventName returns the user-defined event name.
func (LivepeerTokenFaucetRequest) ContractEventName() string {
	return LivepeerTokenFaucetRequestEventName
}

// UnpackRequestEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Request(address indexed to, uint256 amount)
func (livepeerTokenFaucet *LivepeerTokenFaucet) UnpackRequestEvent(log *types.Log) (*LivepeerTokenFaucetRequest, error) {
	event := "Request"
	if len(log.Topics) == 0 || log.Topics[0] != livepeerTokenFaucet.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(LivepeerTokenFaucetRequest)
	if len(log.Data) > 0 {
		if err := livepeerTokenFaucet.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range livepeerTokenFaucet.abi.Events[event].Inputs {
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
