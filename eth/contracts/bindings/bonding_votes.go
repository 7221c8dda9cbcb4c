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

// BondingVotesMetaData contains all meta data concerning the BondingVotes contract.
var BondingVotesMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"getVotes\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getPastVotes\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"},{\"type\":\"uint256\",\"name\":\"round\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getPastTotalSupply\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"round\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"clock\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint48\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"hasCheckpoint\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"error\",\"name\":\"InvalidCaller\",\"inputs\":[{\"type\":\"address\",\"name\":\"caller\"},{\"type\":\"address\",\"name\":\"required\"}]},{\"type\":\"error\",\"name\":\"InvalidStartRound\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"checkpointRound\"},{\"type\":\"uint256\",\"name\":\"requiredRound\"}]},{\"type\":\"error\",\"name\":\"FutureLastClaimRound\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"lastClaimRound\"},{\"type\":\"uint256\",\"name\":\"maxAllowed\"}]},{\"type\":\"error\",\"name\":\"InvalidTotalStakeCheckpointRound\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"checkpointRound\"},{\"type\":\"uint256\",\"name\":\"requiredRound\"}]},{\"type\":\"error\",\"name\":\"FutureLookup\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"queryRound\"},{\"type\":\"uint256\",\"name\":\"maxAllowed\"}]},{\"type\":\"error\",\"name\":\"MissingEarningsPool\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"},{\"type\":\"uint256\",\"name\":\"round\"}]},{\"type\":\"error\",\"name\":\"MustCallBondingManager\",\"inputs\":[{\"type\":\"string\",\"name\":\"bondingManagerFunction\"}]}]",
	ID:  "BondingVotes",
}

// BondingVotes is an auto generated Go binding around an Ethereum contract.
type BondingVotes struct {
	abi abi.ABI
}

// NewBondingVotes creates a new instance of BondingVotes.
func NewBondingVotes() *BondingVotes {
	parsed, err := BondingVotesMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &BondingVotes{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *BondingVotes) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackClock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x91ddadf4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function clock() view returns(uint48)
func (bondingVotes *BondingVotes) PackClock() []byte {
	enc, err := bondingVotes.abi.Pack("clock")
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
func (bondingVotes *BondingVotes) TryPackClock() ([]byte, error) {
	return bondingVotes.abi.Pack("clock")
}

// UnpackClock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x91ddadf4.
//
// Solidity: function clock() view returns(uint48)
func (bondingVotes *BondingVotes) UnpackClock(data []byte) (*big.Int, error) {
	out, err := bondingVotes.abi.Unpack("clock", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetPastTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8e539e8c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getPastTotalSupply(uint256 round) view returns(uint256)
func (bondingVotes *BondingVotes) PackGetPastTotalSupply(round *big.Int) []byte {
	enc, err := bondingVotes.abi.Pack("getPastTotalSupply", round)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetPastTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8e539e8c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getPastTotalSupply(uint256 round) view returns(uint256)
func (bondingVotes *BondingVotes) TryPackGetPastTotalSupply(round *big.Int) ([]byte, error) {
	return bondingVotes.abi.Pack("getPastTotalSupply", round)
}

// UnpackGetPastTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8e539e8c.
//
// Solidity: function getPastTotalSupply(uint256 round) view returns(uint256)
func (bondingVotes *BondingVotes) UnpackGetPastTotalSupply(data []byte) (*big.Int, error) {
	out, err := bondingVotes.abi.Unpack("getPastTotalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetPastVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a46b1a8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getPastVotes(address account, uint256 round) view returns(uint256)
func (bondingVotes *BondingVotes) PackGetPastVotes(account common.Address, round *big.Int) []byte {
	enc, err := bondingVotes.abi.Pack("getPastVotes", account, round)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetPastVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a46b1a8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getPastVotes(address account, uint256 round) view returns(uint256)
func (bondingVotes *BondingVotes) TryPackGetPastVotes(account common.Address, round *big.Int) ([]byte, error) {
	return bondingVotes.abi.Pack("getPastVotes", account, round)
}

// UnpackGetPastVotes is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3a46b1a8.
//
// Solidity: function getPastVotes(address account, uint256 round) view returns(uint256)
func (bondingVotes *BondingVotes) UnpackGetPastVotes(data []byte) (*big.Int, error) {
	out, err := bondingVotes.abi.Unpack("getPastVotes", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9ab24eb0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getVotes(address account) view returns(uint256)
func (bondingVotes *BondingVotes) PackGetVotes(account common.Address) []byte {
	enc, err := bondingVotes.abi.Pack("getVotes", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetVotes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9ab24eb0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getVotes(address account) view returns(uint256)
func (bondingVotes *BondingVotes) TryPackGetVotes(account common.Address) ([]byte, error) {
	return bondingVotes.abi.Pack("getVotes", account)
}

// UnpackGetVotes is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9ab24eb0.
//
// Solidity: function getVotes(address account) view returns(uint256)
func (bondingVotes *BondingVotes) UnpackGetVotes(data []byte) (*big.Int, error) {
	out, err := bondingVotes.abi.Unpack("getVotes", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackHasCheckpoint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc656a01e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function hasCheckpoint(address account) view returns(bool)
func (bondingVotes *BondingVotes) PackHasCheckpoint(account common.Address) []byte {
	enc, err := bondingVotes.abi.Pack("hasCheckpoint", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackHasCheckpoint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc656a01e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function hasCheckpoint(address account) view returns(bool)
func (bondingVotes *BondingVotes) TryPackHasCheckpoint(account common.Address) ([]byte, error) {
	return bondingVotes.abi.Pack("hasCheckpoint", account)
}

// UnpackHasCheckpoint is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc656a01e.
//
// Solidity: function hasCheckpoint(address account) view returns(bool)
func (bondingVotes *BondingVotes) UnpackHasCheckpoint(data []byte) (bool, error) {
	out, err := bondingVotes.abi.Unpack("hasCheckpoint", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (bondingVotes *BondingVotes) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["FutureLastClaimRound"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackFutureLastClaimRoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["FutureLookup"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackFutureLookupError(raw[4:])
	}
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["InvalidCaller"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackInvalidCallerError(raw[4:])
	}
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["InvalidStartRound"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackInvalidStartRoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["InvalidTotalStakeCheckpointRound"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackInvalidTotalStakeCheckpointRoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["MissingEarningsPool"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackMissingEarningsPoolError(raw[4:])
	}
	if bytes.Equal(raw[:4], bondingVotes.abi.Errors["MustCallBondingManager"].ID.Bytes()[:4]) {
		return bondingVotes.UnpackMustCallBondingManagerError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// BondingVotesFutureLastClaimRound represents a FutureLastClaimRound error raised by the BondingVotes contract.
type BondingVotesFutureLastClaimRound struct {
	LastClaimRound *big.Int
	MaxAllowed     *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FutureLastClaimRound(uint256 lastClaimRound, uint256 maxAllowed)
func BondingVotesFutureLastClaimRoundErrorID() common.Hash {
	return common.HexToHash("0x107098b2bc4159c7d5ffe42ad3fb715b65b248577db21ea455ec7f343dafef72")
}

// UnpackFutureLastClaimRoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FutureLastClaimRound(uint256 lastClaimRound, uint256 maxAllowed)
func (bondingVotes *BondingVotes) UnpackFutureLastClaimRoundError(raw []byte) (*BondingVotesFutureLastClaimRound, error) {
	out := new(BondingVotesFutureLastClaimRound)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "FutureLastClaimRound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BondingVotesFutureLookup represents a FutureLookup error raised by the BondingVotes contract.
type BondingVotesFutureLookup struct {
	QueryRound *big.Int
	MaxAllowed *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FutureLookup(uint256 queryRound, uint256 maxAllowed)
func BondingVotesFutureLookupErrorID() common.Hash {
	return common.HexToHash("0x7f07449b3b3a44142945a73fcdeff3a3bb02d9688659424b3db7f27f9003814b")
}

// UnpackFutureLookupError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FutureLookup(uint256 queryRound, uint256 maxAllowed)
func (bondingVotes *BondingVotes) UnpackFutureLookupError(raw []byte) (*BondingVotesFutureLookup, error) {
	out := new(BondingVotesFutureLookup)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "FutureLookup", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BondingVotesInvalidCaller represents a InvalidCaller error raised by the BondingVotes contract.
type BondingVotesInvalidCaller struct {
	Caller   common.Address
	Required common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidCaller(address caller, address required)
func BondingVotesInvalidCallerErrorID() common.Hash {
	return common.HexToHash("0x16cece483e776d6e8b9ac7407b42ddd9477ef1fc39a51824e0d823d0db36a1b9")
}

// UnpackInvalidCallerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidCaller(address caller, address required)
func (bondingVotes *BondingVotes) UnpackInvalidCallerError(raw []byte) (*BondingVotesInvalidCaller, error) {
	out := new(BondingVotesInvalidCaller)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "InvalidCaller", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BondingVotesInvalidStartRound represents a InvalidStartRound error raised by the BondingVotes contract.
type BondingVotesInvalidStartRound struct {
	CheckpointRound *big.Int
	RequiredRound   *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidStartRound(uint256 checkpointRound, uint256 requiredRound)
func BondingVotesInvalidStartRoundErrorID() common.Hash {
	return common.HexToHash("0xb986b599986612bd81258da01bf078014ee109b1ac19a13cd20ede557d32a62e")
}

// UnpackInvalidStartRoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidStartRound(uint256 checkpointRound, uint256 requiredRound)
func (bondingVotes *BondingVotes) UnpackInvalidStartRoundError(raw []byte) (*BondingVotesInvalidStartRound, error) {
	out := new(BondingVotesInvalidStartRound)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "InvalidStartRound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BondingVotesInvalidTotalStakeCheckpointRound represents a InvalidTotalStakeCheckpointRound error raised by the BondingVotes contract.
type BondingVotesInvalidTotalStakeCheckpointRound struct {
	CheckpointRound *big.Int
	RequiredRound   *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidTotalStakeCheckpointRound(uint256 checkpointRound, uint256 requiredRound)
func BondingVotesInvalidTotalStakeCheckpointRoundErrorID() common.Hash {
	return common.HexToHash("0x29af3fdf3485880a2edf9736936cc25848f63531c5c579444df8676f0f3a33dd")
}

// UnpackInvalidTotalStakeCheckpointRoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidTotalStakeCheckpointRound(uint256 checkpointRound, uint256 requiredRound)
func (bondingVotes *BondingVotes) UnpackInvalidTotalStakeCheckpointRoundError(raw []byte) (*BondingVotesInvalidTotalStakeCheckpointRound, error) {
	out := new(BondingVotesInvalidTotalStakeCheckpointRound)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "InvalidTotalStakeCheckpointRound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BondingVotesMissingEarningsPool represents a MissingEarningsPool error raised by the BondingVotes contract.
type BondingVotesMissingEarningsPool struct {
	Transcoder common.Address
	Round      *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MissingEarningsPool(address transcoder, uint256 round)
func BondingVotesMissingEarningsPoolErrorID() common.Hash {
	return common.HexToHash("0x92ad5a7285cad5da1727e4dc0986da78cd048813da080e20c0e54edfebfb62b6")
}

// UnpackMissingEarningsPoolError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MissingEarningsPool(address transcoder, uint256 round)
func (bondingVotes *BondingVotes) UnpackMissingEarningsPoolError(raw []byte) (*BondingVotesMissingEarningsPool, error) {
	out := new(BondingVotesMissingEarningsPool)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "MissingEarningsPool", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BondingVotesMustCallBondingManager represents a MustCallBondingManager error raised by the BondingVotes contract.
type BondingVotesMustCallBondingManager struct {
	BondingManagerFunction string
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MustCallBondingManager(string bondingManagerFunction)
func BondingVotesMustCallBondingManagerErrorID() common.Hash {
	return common.HexToHash("0x866cb42d0499ea126f9303e54322fc619fe01c047e6ea9720d1d5e48e6e1266e")
}

// UnpackMustCallBondingManagerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MustCallBondingManager(string bondingManagerFunction)
func (bondingVotes *BondingVotes) UnpackMustCallBondingManagerError(raw []byte) (*BondingVotesMustCallBondingManager, error) {
	out := new(BondingVotesMustCallBondingManager)
	if err := bondingVotes.abi.UnpackIntoInterface(out, "MustCallBondingManager", raw); err != nil {
		return nil, err
	}
	return out, nil
}
