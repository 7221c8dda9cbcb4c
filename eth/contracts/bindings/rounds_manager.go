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

// RoundsManagerMetaData contains all meta data concerning the RoundsManager contract.
var RoundsManagerMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"initializeRound\",\"inputs\":[],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"currentRound\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"currentRoundInitialized\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"currentRoundLocked\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"currentRoundStartBlock\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"lastInitializedRound\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"blockHashForRound\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"round\"}],\"outputs\":[{\"type\":\"bytes32\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"blockHash\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"blockNumber\"}],\"outputs\":[{\"type\":\"bytes32\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"blockNum\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"roundLength\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"roundLockAmount\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"lastRoundLengthUpdateRound\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"lastRoundLengthUpdateStartBlock\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"lipUpgradeRound\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"lip\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"NewRound\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"round\",\"indexed\":true},{\"type\":\"bytes32\",\"name\":\"blockHash\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ParameterUpdate\",\"inputs\":[{\"type\":\"string\",\"name\":\"param\"}]}]",
	ID:  "RoundsManager",
}

// RoundsManager is an auto generated Go binding around an Ethereum contract.
type RoundsManager struct {
	abi abi.ABI
}

// NewRoundsManager creates a new instance of RoundsManager.
func NewRoundsManager() *RoundsManager {
	parsed, err := RoundsManagerMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &RoundsManager{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *RoundsManager) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackBlockHash is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x85df51fd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function blockHash(uint256 blockNumber) view returns(bytes32)
func (roundsManager *RoundsManager) PackBlockHash(blockNumber *big.Int) []byte {
	enc, err := roundsManager.abi.Pack("blockHash", blockNumber)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBlockHash is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x85df51fd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function blockHash(uint256 blockNumber) view returns(bytes32)
func (roundsManager *RoundsManager) TryPackBlockHash(blockNumber *big.Int) ([]byte, error) {
	return roundsManager.abi.Pack("blockHash", blockNumber)
}

// UnpackBlockHash is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x85df51fd.
//
// Solidity: function blockHash(uint256 blockNumber) view returns(bytes32)
func (roundsManager *RoundsManager) UnpackBlockHash(data []byte) ([32]byte, error) {
	out, err := roundsManager.abi.Unpack("blockHash", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackBlockHashForRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3aa4add4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function blockHashForRound(uint256 round) view returns(bytes32)
func (roundsManager *RoundsManager) PackBlockHashForRound(round *big.Int) []byte {
	enc, err := roundsManager.abi.Pack("blockHashForRound", round)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBlockHashForRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3aa4add4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function blockHashForRound(uint256 round) view returns(bytes32)
func (roundsManager *RoundsManager) TryPackBlockHashForRound(round *big.Int) ([]byte, error) {
	return roundsManager.abi.Pack("blockHashForRound", round)
}

// UnpackBlockHashForRound is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3aa4add4.
//
// Solidity: function blockHashForRound(uint256 round) view returns(bytes32)
func (roundsManager *RoundsManager) UnpackBlockHashForRound(data []byte) ([32]byte, error) {
	out, err := roundsManager.abi.Unpack("blockHashForRound", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackBlockNum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8ae63d6d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function blockNum() view returns(uint256)
func (roundsManager *RoundsManager) PackBlockNum() []byte {
	enc, err := roundsManager.abi.Pack("blockNum")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBlockNum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8ae63d6d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function blockNum() view returns(uint256)
func (roundsManager *RoundsManager) TryPackBlockNum() ([]byte, error) {
	return roundsManager.abi.Pack("blockNum")
}

// UnpackBlockNum is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8ae63d6d.
//
// Solidity: function blockNum() view returns(uint256)
func (roundsManager *RoundsManager) UnpackBlockNum(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("blockNum", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackCurrentRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8a19c8bc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentRound() view returns(uint256)
func (roundsManager *RoundsManager) PackCurrentRound() []byte {
	enc, err := roundsManager.abi.Pack("currentRound")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8a19c8bc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentRound() view returns(uint256)
func (roundsManager *RoundsManager) TryPackCurrentRound() ([]byte, error) {
	return roundsManager.abi.Pack("currentRound")
}

// UnpackCurrentRound is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8a19c8bc.
//
// Solidity: function currentRound() view returns(uint256)
func (roundsManager *RoundsManager) UnpackCurrentRound(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("currentRound", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackCurrentRoundInitialized is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x219bc76c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentRoundInitialized() view returns(bool)
func (roundsManager *RoundsManager) PackCurrentRoundInitialized() []byte {
	enc, err := roundsManager.abi.Pack("currentRoundInitialized")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentRoundInitialized is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x219bc76c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentRoundInitialized() view returns(bool)
func (roundsManager *RoundsManager) TryPackCurrentRoundInitialized() ([]byte, error) {
	return roundsManager.abi.Pack("currentRoundInitialized")
}

// UnpackCurrentRoundInitialized is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x219bc76c.
//
// Solidity: function currentRoundInitialized() view returns(bool)
func (roundsManager *RoundsManager) UnpackCurrentRoundInitialized(data []byte) (bool, error) {
	out, err := roundsManager.abi.Unpack("currentRoundInitialized", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackCurrentRoundLocked is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6841f253.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentRoundLocked() view returns(bool)
func (roundsManager *RoundsManager) PackCurrentRoundLocked() []byte {
	enc, err := roundsManager.abi.Pack("currentRoundLocked")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentRoundLocked is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6841f253.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentRoundLocked() view returns(bool)
func (roundsManager *RoundsManager) TryPackCurrentRoundLocked() ([]byte, error) {
	return roundsManager.abi.Pack("currentRoundLocked")
}

// UnpackCurrentRoundLocked is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6841f253.
//
// Solidity: function currentRoundLocked() view returns(bool)
func (roundsManager *RoundsManager) UnpackCurrentRoundLocked(data []byte) (bool, error) {
	out, err := roundsManager.abi.Unpack("currentRoundLocked", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackCurrentRoundStartBlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8fa148f2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentRoundStartBlock() view returns(uint256)
func (roundsManager *RoundsManager) PackCurrentRoundStartBlock() []byte {
	enc, err := roundsManager.abi.Pack("currentRoundStartBlock")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentRoundStartBlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8fa148f2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentRoundStartBlock() view returns(uint256)
func (roundsManager *RoundsManager) TryPackCurrentRoundStartBlock() ([]byte, error) {
	return roundsManager.abi.Pack("currentRoundStartBlock")
}

// UnpackCurrentRoundStartBlock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8fa148f2.
//
// Solidity: function currentRoundStartBlock() view returns(uint256)
func (roundsManager *RoundsManager) UnpackCurrentRoundStartBlock(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("currentRoundStartBlock", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackInitializeRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd4807fb2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function initializeRound() returns()
func (roundsManager *RoundsManager) PackInitializeRound() []byte {
	enc, err := roundsManager.abi.Pack("initializeRound")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackInitializeRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd4807fb2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function initializeRound() returns()
func (roundsManager *RoundsManager) TryPackInitializeRound() ([]byte, error) {
	return roundsManager.abi.Pack("initializeRound")
}

// PackLastInitializedRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8807f36e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function lastInitializedRound() view returns(uint256)
func (roundsManager *RoundsManager) PackLastInitializedRound() []byte {
	enc, err := roundsManager.abi.Pack("lastInitializedRound")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackLastInitializedRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8807f36e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function lastInitializedRound() view returns(uint256)
func (roundsManager *RoundsManager) TryPackLastInitializedRound() ([]byte, error) {
	return roundsManager.abi.Pack("lastInitializedRound")
}

// UnpackLastInitializedRound is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8807f36e.
//
// Solidity: function lastInitializedRound() view returns(uint256)
func (roundsManager *RoundsManager) UnpackLastInitializedRound(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("lastInitializedRound", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackLastRoundLengthUpdateRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0fe1dfa8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function lastRoundLengthUpdateRound() view returns(uint256)
func (roundsManager *RoundsManager) PackLastRoundLengthUpdateRound() []byte {
	enc, err := roundsManager.abi.Pack("lastRoundLengthUpdateRound")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackLastRoundLengthUpdateRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0fe1dfa8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function lastRoundLengthUpdateRound() view returns(uint256)
func (roundsManager *RoundsManager) TryPackLastRoundLengthUpdateRound() ([]byte, error) {
	return roundsManager.abi.Pack("lastRoundLengthUpdateRound")
}

// UnpackLastRoundLengthUpdateRound is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0fe1dfa8.
//
// Solidity: function lastRoundLengthUpdateRound() view returns(uint256)
func (roundsManager *RoundsManager) UnpackLastRoundLengthUpdateRound(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("lastRoundLengthUpdateRound", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackLastRoundLengthUpdateStartBlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x668abff7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function lastRoundLengthUpdateStartBlock() view returns(uint256)
func (roundsManager *RoundsManager) PackLastRoundLengthUpdateStartBlock() []byte {
	enc, err := roundsManager.abi.Pack("lastRoundLengthUpdateStartBlock")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackLastRoundLengthUpdateStartBlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x668abff7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function lastRoundLengthUpdateStartBlock() view returns(uint256)
func (roundsManager *RoundsManager) TryPackLastRoundLengthUpdateStartBlock() ([]byte, error) {
	return roundsManager.abi.Pack("lastRoundLengthUpdateStartBlock")
}

// UnpackLastRoundLengthUpdateStartBlock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x668abff7.
//
// Solidity: function lastRoundLengthUpdateStartBlock() view returns(uint256)
func (roundsManager *RoundsManager) UnpackLastRoundLengthUpdateStartBlock(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("lastRoundLengthUpdateStartBlock", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackLipUpgradeRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1e6d4c22.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function lipUpgradeRound(uint256 lip) view returns(uint256)
func (roundsManager *RoundsManager) PackLipUpgradeRound(lip *big.Int) []byte {
	enc, err := roundsManager.abi.Pack("lipUpgradeRound", lip)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackLipUpgradeRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1e6d4c22.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function lipUpgradeRound(uint256 lip) view returns(uint256)
func (roundsManager *RoundsManager) TryPackLipUpgradeRound(lip *big.Int) ([]byte, error) {
	return roundsManager.abi.Pack("lipUpgradeRound", lip)
}

// UnpackLipUpgradeRound is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1e6d4c22.
//
// Solidity: function lipUpgradeRound(uint256 lip) view returns(uint256)
func (roundsManager *RoundsManager) UnpackLipUpgradeRound(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("lipUpgradeRound", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackRoundLength is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8b649b94.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function roundLength() view returns(uint256)
func (roundsManager *RoundsManager) PackRoundLength() []byte {
	enc, err := roundsManager.abi.Pack("roundLength")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRoundLength is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8b649b94.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function roundLength() view returns(uint256)
func (roundsManager *RoundsManager) TryPackRoundLength() ([]byte, error) {
	return roundsManager.abi.Pack("roundLength")
}

// UnpackRoundLength is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8b649b94.
//
// Solidity: function roundLength() view returns(uint256)
func (roundsManager *RoundsManager) UnpackRoundLength(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("roundLength", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackRoundLockAmount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf5b490d5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function roundLockAmount() view returns(uint256)
func (roundsManager *RoundsManager) PackRoundLockAmount() []byte {
	enc, err := roundsManager.abi.Pack("roundLockAmount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRoundLockAmount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf5b490d5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function roundLockAmount() view returns(uint256)
func (roundsManager *RoundsManager) TryPackRoundLockAmount() ([]byte, error) {
	return roundsManager.abi.Pack("roundLockAmount")
}

// UnpackRoundLockAmount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf5b490d5.
//
// Solidity: function roundLockAmount() view returns(uint256)
func (roundsManager *RoundsManager) UnpackRoundLockAmount(data []byte) (*big.Int, error) {
	out, err := roundsManager.abi.Unpack("roundLockAmount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// RoundsManagerNewRound represents a NewRound event raised by the RoundsManager contract.
type RoundsManagerNewRound struct {
	Round     *big.Int
	BlockHash [32]byte
	Raw       *types.Log // Blockchain specific contextual infos
}

const RoundsManagerNewRoundEventName = "NewRound"

// ContractEventName returns the user-defined event name.
func (RoundsManagerNewRound) ContractEventName() string {
	return RoundsManagerNewRoundEventName
}

// UnpackNewRoundEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event NewRound(uint256 indexed round, bytes32 blockHash)
func (roundsManager *RoundsManager) UnpackNewRoundEvent(log *types.Log) (*RoundsManagerNewRound, error) {
	event := "NewRound"
	if len(log.Topics) == 0 || log.Topics[0] != roundsManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(RoundsManagerNewRound)
	if len(log.Data) > 0 {
		if err := roundsManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range roundsManager.abi.Events[event].Inputs {
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

// RoundsManagerParameterUpdate represents a ParameterUpdate event raised by the RoundsManager contract.
type RoundsManagerParameterUpdate struct {
	Param string
	Raw   *types.Log // Blockchain specific contextual infos
}

const RoundsManagerParameterUpdateEventName = "ParameterUpdate"

// ContractEventName returns the user-defined event name.
func (RoundsManagerParameterUpdate) ContractEventName() string {
	return RoundsManagerParameterUpdateEventName
}

// UnpackParameterUpdateEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ParameterUpdate(string param)
func (roundsManager *RoundsManager) UnpackParameterUpdateEvent(log *types.Log) (*RoundsManagerParameterUpdate, error) {
	event := "ParameterUpdate"
	if len(log.Topics) == 0 || log.Topics[0] != roundsManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(RoundsManagerParameterUpdate)
	if len(log.Data) > 0 {
		if err := roundsManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range roundsManager.abi.Events[event].Inputs {
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
