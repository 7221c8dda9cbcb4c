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

// ControllerMetaData contains all meta data concerning the Controller contract.
var ControllerMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"getContract\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"bytes32\",\"name\":\"id\"}],\"outputs\":[{\"type\":\"address\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getContractInfo\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"bytes32\",\"name\":\"id\"}],\"outputs\":[{\"type\":\"address\",\"name\":\"\"},{\"type\":\"bytes20\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"owner\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"address\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"paused\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"SetContractInfo\",\"inputs\":[{\"type\":\"bytes32\",\"name\":\"id\"},{\"type\":\"address\",\"name\":\"contractAddress\"},{\"type\":\"bytes20\",\"name\":\"gitCommitHash\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Pause\",\"inputs\":[]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Unpause\",\"inputs\":[]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"OwnershipTransferred\",\"inputs\":[{\"type\":\"address\",\"name\":\"previousOwner\",\"indexed\":true},{\"type\":\"address\",\"name\":\"newOwner\",\"indexed\":true}]}]",
	ID:  "Controller",
}

// Controller is an auto generated Go binding around an Ethereum contract.
type Controller struct {
	abi abi.ABI
}

// NewController creates a new instance of Controller.
func NewController() *Controller {
	parsed, err := ControllerMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Controller{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Controller) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackGetContract is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe16c7d98.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getContract(bytes32 id) view returns(address)
func (controller *Controller) PackGetContract(id [32]byte) []byte {
	enc, err := controller.abi.Pack("getContract", id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetContract is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe16c7d98.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getContract(bytes32 id) view returns(address)
func (controller *Controller) TryPackGetContract(id [32]byte) ([]byte, error) {
	return controller.abi.Pack("getContract", id)
}

// UnpackGetContract is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe16c7d98.
//
// Solidity: function getContract(bytes32 id) view returns(address)
func (controller *Controller) UnpackGetContract(data []byte) (common.Address, error) {
	out, err := controller.abi.Unpack("getContract", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackGetContractInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x613e2de2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getContractInfo(bytes32 id) view returns(address, bytes20)
func (controller *Controller) PackGetContractInfo(id [32]byte) []byte {
	enc, err := controller.abi.Pack("getContractInfo", id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetContractInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x613e2de2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getContractInfo(bytes32 id) view returns(address, bytes20)
func (controller *Controller) TryPackGetContractInfo(id [32]byte) ([]byte, error) {
	return controller.abi.Pack("getContractInfo", id)
}

// GetContractInfoOutput serves as a container for the return parameters of contract
// method GetContractInfo.
type GetContractInfoOutput struct {
	Arg0 common.Address
	Arg1 [20]byte
}

// UnpackGetContractInfo is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x613e2de2.
//
// Solidity: function getContractInfo(bytes32 id) view returns(address, bytes20)
func (controller *Controller) UnpackGetContractInfo(data []byte) (GetContractInfoOutput, error) {
	out, err := controller.abi.Unpack("getContractInfo", data)
	outstruct := new(GetContractInfoOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Arg0 = *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	outstruct.Arg1 = *abi.ConvertType(out[1], new([20]byte)).(*[20]byte)
	return *outstruct, nil
}

// PackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function owner() view returns(address)
func (controller *Controller) PackOwner() []byte {
	enc, err := controller.abi.Pack("owner")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function owner() view returns(address)
func (controller *Controller) TryPackOwner() ([]byte, error) {
	return controller.abi.Pack("owner")
}

// UnpackOwner is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8da5cb5b.
//
// Solidity: function owner() view returns(address)
func (controller *Controller) UnpackOwner(data []byte) (common.Address, error) {
	out, err := controller.abi.Unpack("owner", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c975abb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function paused() view returns(bool)
func (controller *Controller) PackPaused() []byte {
	enc, err := controller.abi.Pack("paused")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c975abb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function paused() view returns(bool)
func (controller *Controller) TryPackPaused() ([]byte, error) {
	return controller.abi.Pack("paused")
}

// UnpackPaused is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5c975abb.
//
// Solidity: function paused() view returns(bool)
func (controller *Controller) UnpackPaused(data []byte) (bool, error) {
	out, err := controller.abi.Unpack("paused", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// ControllerOwnershipTransferred represents a OwnershipTransferred event raised by the Controller contract.
type ControllerOwnershipTransferred struct {
	PreviousOwner common.Address
	NewOwner      common.Address
	Raw           *types.Log // Blockchain specific contextual infos
}

const ControllerOwnershipTransferredEventName = "OwnershipTransferred"

// ContractEventName returns the user-defined event name.
func (ControllerOwnershipTransferred) ContractEventName() string {
	return ControllerOwnershipTransferredEventName
}

// UnpackOwnershipTransferredEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
func (controller *Controller) UnpackOwnershipTransferredEvent(log *types.Log) (*ControllerOwnershipTransferred, error) {
	event := "OwnershipTransferred"
	if len(log.Topics) == 0 || log.Topics[0] != controller.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(ControllerOwnershipTransferred)
	if len(log.Data) > 0 {
		if err := controller.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range controller.abi.Events[event].Inputs {
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

// ControllerPause represents a Pause event raised by the Controller contract.
type ControllerPause struct {
	Raw *types.Log // Blockchain specific contextual infos
}

const ControllerPauseEventName = "Pause"

// ContractEventName returns the user-defined event name.
func (ControllerPause) ContractEventName() string {
	return ControllerPauseEventName
}

// UnpackPauseEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Pause()
func (controller *Controller) UnpackPauseEvent(log *types.Log) (*ControllerPause, error) {
	event := "Pause"
	if len(log.Topics) == 0 || log.Topics[0] != controller.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(ControllerPause)
	if len(log.Data) > 0 {
		if err := controller.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range controller.abi.Events[event].Inputs {
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

// ControllerSetContractInfo represents a SetContractInfo event raised by the Controller contract.
type ControllerSetContractInfo struct {
	Id              [32]byte
	ContractAddress common.Address
	GitCommitHash   [20]byte
	Raw             *types.Log // Blockchain specific contextual infos
}

const ControllerSetContractInfoEventName = "SetContractInfo"

// ContractEventName returns the user-defined event name.
func (ControllerSetContractInfo) ContractEventName() string {
	return ControllerSetContractInfoEventName
}

// UnpackSetContractInfoEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SetContractInfo(bytes32 id, address contractAddress, bytes20 gitCommitHash)
func (controller *Controller) UnpackSetContractInfoEvent(log *types.Log) (*ControllerSetContractInfo, error) {
	event := "SetContractInfo"
	if len(log.Topics) == 0 || log.Topics[0] != controller.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(ControllerSetContractInfo)
	if len(log.Data) > 0 {
		if err := controller.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range controller.abi.Events[event].Inputs {
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

// ControllerUnpause represents a Unpause event raised by the Controller contract.
type ControllerUnpause struct {
	Raw *types.Log // Blockchain specific contextual infos
}

const ControllerUnpauseEventName = "Unpause"

// ContractEventName returns the user-defined event name.
func (ControllerUnpause) ContractEventName() string {
	return ControllerUnpauseEventName
}

// UnpackUnpauseEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Unpause()
func (controller *Controller) UnpackUnpauseEvent(log *types.Log) (*ControllerUnpause, error) {
	event := "Unpause"
	if len(log.Topics) == 0 || log.Topics[0] != controller.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(ControllerUnpause)
	if len(log.Data) > 0 {
		if err := controller.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range controller.abi.Events[event].Inputs {
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
