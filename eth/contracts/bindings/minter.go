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

// MinterMetaData contains all meta data concerning the Minter contract.
var MinterMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"inflation\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"inflationChange\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"targetBondingRate\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"currentMintableTokens\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"currentMintedTokens\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getGlobalTotalSupply\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"SetCurrentRewardTokens\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"currentMintableTokens\"},{\"type\":\"uint256\",\"name\":\"currentInflation\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ParameterUpdate\",\"inputs\":[{\"type\":\"string\",\"name\":\"param\"}]}]",
	ID:  "Minter",
}

// Minter is an auto generated Go binding around an Ethereum contract.
type Minter struct {
	abi abi.ABI
}

// NewMinter creates a new instance of Minter.
func NewMinter() *Minter {
	parsed, err := MinterMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Minter{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Minter) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackCurrentMintableTokens is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9ae6309a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentMintableTokens() view returns(uint256)
func (minter *Minter) PackCurrentMintableTokens() []byte {
	enc, err := minter.abi.Pack("currentMintableTokens")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentMintableTokens is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9ae6309a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentMintableTokens() view returns(uint256)
func (minter *Minter) TryPackCurrentMintableTokens() ([]byte, error) {
	return minter.abi.Pack("currentMintableTokens")
}

// UnpackCurrentMintableTokens is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9ae6309a.
//
// Solidity: function currentMintableTokens() view returns(uint256)
func (minter *Minter) UnpackCurrentMintableTokens(data []byte) (*big.Int, error) {
	out, err := minter.abi.Unpack("currentMintableTokens", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackCurrentMintedTokens is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2de22cdb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentMintedTokens() view returns(uint256)
func (minter *Minter) PackCurrentMintedTokens() []byte {
	enc, err := minter.abi.Pack("currentMintedTokens")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentMintedTokens is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2de22cdb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentMintedTokens() view returns(uint256)
func (minter *Minter) TryPackCurrentMintedTokens() ([]byte, error) {
	return minter.abi.Pack("currentMintedTokens")
}

// UnpackCurrentMintedTokens is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2de22cdb.
//
// Solidity: function currentMintedTokens() view returns(uint256)
func (minter *Minter) UnpackCurrentMintedTokens(data []byte) (*big.Int, error) {
	out, err := minter.abi.Unpack("currentMintedTokens", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetGlobalTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5507442d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getGlobalTotalSupply() view returns(uint256)
func (minter *Minter) PackGetGlobalTotalSupply() []byte {
	enc, err := minter.abi.Pack("getGlobalTotalSupply")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetGlobalTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5507442d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getGlobalTotalSupply() view returns(uint256)
func (minter *Minter) TryPackGetGlobalTotalSupply() ([]byte, error) {
	return minter.abi.Pack("getGlobalTotalSupply")
}

// UnpackGetGlobalTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5507442d.
//
// Solidity: function getGlobalTotalSupply() view returns(uint256)
func (minter *Minter) UnpackGetGlobalTotalSupply(data []byte) (*big.Int, error) {
	out, err := minter.abi.Unpack("getGlobalTotalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackInflation is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbe0522e0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function inflation() view returns(uint256)
func (minter *Minter) PackInflation() []byte {
	enc, err := minter.abi.Pack("inflation")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackInflation is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbe0522e0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function inflation() view returns(uint256)
func (minter *Minter) TryPackInflation() ([]byte, error) {
	return minter.abi.Pack("inflation")
}

// UnpackInflation is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xbe0522e0.
//
// Solidity: function inflation() view returns(uint256)
func (minter *Minter) UnpackInflation(data []byte) (*big.Int, error) {
	out, err := minter.abi.Unpack("inflation", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackInflationChange is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa7c83514.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function inflationChange() view returns(uint256)
func (minter *Minter) PackInflationChange() []byte {
	enc, err := minter.abi.Pack("inflationChange")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackInflationChange is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa7c83514.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function inflationChange() view returns(uint256)
func (minter *Minter) TryPackInflationChange() ([]byte, error) {
	return minter.abi.Pack("inflationChange")
}

// UnpackInflationChange is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa7c83514.
//
// Solidity: function inflationChange() view returns(uint256)
func (minter *Minter) UnpackInflationChange(data []byte) (*big.Int, error) {
	out, err := minter.abi.Unpack("inflationChange", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTargetBondingRate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x821b771f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function targetBondingRate() view returns(uint256)
func (minter *Minter) PackTargetBondingRate() []byte {
	enc, err := minter.abi.Pack("targetBondingRate")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTargetBondingRate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x821b771f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function targetBondingRate() view returns(uint256)
func (minter *Minter) TryPackTargetBondingRate() ([]byte, error) {
	return minter.abi.Pack("targetBondingRate")
}

// UnpackTargetBondingRate is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x821b771f.
//
// Solidity: function targetBondingRate() view returns(uint256)
func (minter *Minter) UnpackTargetBondingRate(data []byte) (*big.Int, error) {
	out, err := minter.abi.Unpack("targetBondingRate", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// MinterParameterUpdate represents a ParameterUpdate event raised by the Minter contract.
type MinterParameterUpdate struct {
	Param string
	Raw   *types.Log // Blockchain specific contextual infos
}

const MinterParameterUpdateEventName = "ParameterUpdate"

// ContractEventName returns the user-defined event name.
func (MinterParameterUpdate) ContractEventName() string {
	return MinterParameterUpdateEventName
}

// UnpackParameterUpdateEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ParameterUpdate(string param)
func (minter *Minter) UnpackParameterUpdateEvent(log *types.Log) (*MinterParameterUpdate, error) {
	event := "ParameterUpdate"
	if len(log.Topics) == 0 || log.Topics[0] != minter.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(MinterParameterUpdate)
	if len(log.Data) > 0 {
		if err := minter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range minter.abi.Events[event].Inputs {
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

// MinterSetCurrentRewardTokens represents a SetCurrentRewardTokens event raised by the Minter contract.
type MinterSetCurrentRewardTokens struct {
	CurrentMintableTokens *big.Int
	CurrentInflation      *big.Int
	Raw                   *types.Log // Blockchain specific contextual infos
}

const MinterSetCurrentRewardTokensEventName = "SetCurrentRewardTokens"

// ContractEventName returns the user-defined event name.
func (MinterSetCurrentRewardTokens) ContractEventName() string {
	return MinterSetCurrentRewardTokensEventName
}

// UnpackSetCurrentRewardTokensEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SetCurrentRewardTokens(uint256 currentMintableTokens, uint256 currentInflation)
func (minter *Minter) UnpackSetCurrentRewardTokensEvent(log *types.Log) (*MinterSetCurrentRewardTokens, error) {
	event := "SetCurrentRewardTokens"
	if len(log.Topics) == 0 || log.Topics[0] != minter.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(MinterSetCurrentRewardTokens)
	if len(log.Data) > 0 {
		if err := minter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range minter.abi.Events[event].Inputs {
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
