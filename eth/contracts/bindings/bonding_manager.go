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

// BondingManagerMetaData contains all meta data concerning the BondingManager contract.
var BondingManagerMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"bond\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"address\",\"name\":\"to\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"bondWithHint\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"address\",\"name\":\"to\"},{\"type\":\"address\",\"name\":\"oldDelegateNewPosPrev\"},{\"type\":\"address\",\"name\":\"oldDelegateNewPosNext\"},{\"type\":\"address\",\"name\":\"currDelegateNewPosPrev\"},{\"type\":\"address\",\"name\":\"currDelegateNewPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"bondForWithHint\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"address\",\"name\":\"owner\"},{\"type\":\"address\",\"name\":\"to\"},{\"type\":\"address\",\"name\":\"oldDelegateNewPosPrev\"},{\"type\":\"address\",\"name\":\"oldDelegateNewPosNext\"},{\"type\":\"address\",\"name\":\"currDelegateNewPosPrev\"},{\"type\":\"address\",\"name\":\"currDelegateNewPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"unbond\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"amount\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"unbondWithHint\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"address\",\"name\":\"newPosPrev\"},{\"type\":\"address\",\"name\":\"newPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"rebond\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"unbondingLockId\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"rebondWithHint\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"unbondingLockId\"},{\"type\":\"address\",\"name\":\"newPosPrev\"},{\"type\":\"address\",\"name\":\"newPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"rebondFromUnbonded\",\"inputs\":[{\"type\":\"address\",\"name\":\"to\"},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"rebondFromUnbondedWithHint\",\"inputs\":[{\"type\":\"address\",\"name\":\"to\"},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"},{\"type\":\"address\",\"name\":\"newPosPrev\"},{\"type\":\"address\",\"name\":\"newPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"withdrawStake\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"unbondingLockId\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"withdrawFees\",\"inputs\":[{\"type\":\"address\",\"name\":\"recipient\"},{\"type\":\"uint256\",\"name\":\"amount\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"transferBond\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"},{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"address\",\"name\":\"oldDelegateNewPosPrev\"},{\"type\":\"address\",\"name\":\"oldDelegateNewPosNext\"},{\"type\":\"address\",\"name\":\"newDelegateNewPosPrev\"},{\"type\":\"address\",\"name\":\"newDelegateNewPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"claimEarnings\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"endRound\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"transcoder\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"rewardCut\"},{\"type\":\"uint256\",\"name\":\"feeShare\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"transcoderWithHint\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"rewardCut\"},{\"type\":\"uint256\",\"name\":\"feeShare\"},{\"type\":\"address\",\"name\":\"newPosPrev\"},{\"type\":\"address\",\"name\":\"newPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"reward\",\"inputs\":[],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"rewardWithHint\",\"inputs\":[{\"type\":\"address\",\"name\":\"newPosPrev\"},{\"type\":\"address\",\"name\":\"newPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"setRewardCaller\",\"inputs\":[{\"type\":\"address\",\"name\":\"rewardCaller\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"transcoderToRewardCaller\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"address\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"rewardForTranscoder\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"rewardForTranscoderWithHint\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"},{\"type\":\"address\",\"name\":\"newPosPrev\"},{\"type\":\"address\",\"name\":\"newPosNext\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"checkpointBondingState\",\"inputs\":[{\"type\":\"address\",\"name\":\"account\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"pendingStake\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"},{\"type\":\"uint256\",\"name\":\"endRound\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"pendingFees\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"},{\"type\":\"uint256\",\"name\":\"endRound\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"transcoderTotalStake\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"transcoderStatus\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"uint8\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"delegatorStatus\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"}],\"outputs\":[{\"type\":\"uint8\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getTranscoder\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"lastRewardRound\"},{\"type\":\"uint256\",\"name\":\"rewardCut\"},{\"type\":\"uint256\",\"name\":\"feeShare\"},{\"type\":\"uint256\",\"name\":\"lastActiveStakeUpdateRound\"},{\"type\":\"uint256\",\"name\":\"activationRound\"},{\"type\":\"uint256\",\"name\":\"deactivationRound\"},{\"type\":\"uint256\",\"name\":\"activeCumulativeRewards\"},{\"type\":\"uint256\",\"name\":\"cumulativeRewards\"},{\"type\":\"uint256\",\"name\":\"cumulativeFees\"},{\"type\":\"uint256\",\"name\":\"lastFeeRound\"}]},{\"type\":\"function\",\"name\":\"getTranscoderEarningsPoolForRound\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"},{\"type\":\"uint256\",\"name\":\"round\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"totalStake\"},{\"type\":\"uint256\",\"name\":\"transcoderRewardCut\"},{\"type\":\"uint256\",\"name\":\"transcoderFeeShare\"},{\"type\":\"uint256\",\"name\":\"cumulativeRewardFactor\"},{\"type\":\"uint256\",\"name\":\"cumulativeFeeFactor\"}]},{\"type\":\"function\",\"name\":\"getDelegator\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"bondedAmount\"},{\"type\":\"uint256\",\"name\":\"fees\"},{\"type\":\"address\",\"name\":\"delegateAddress\"},{\"type\":\"uint256\",\"name\":\"delegatedAmount\"},{\"type\":\"uint256\",\"name\":\"startRound\"},{\"type\":\"uint256\",\"name\":\"lastClaimRound\"},{\"type\":\"uint256\",\"name\":\"nextUnbondingLockId\"}]},{\"type\":\"function\",\"name\":\"getDelegatorUnbondingLock\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"uint256\",\"name\":\"withdrawRound\"}]},{\"type\":\"function\",\"name\":\"getTranscoderPoolMaxSize\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getTranscoderPoolSize\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getFirstTranscoderInPool\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"address\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getNextTranscoderInPool\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"address\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getTotalBonded\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"isActiveTranscoder\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"isRegisteredTranscoder\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"isValidUnbondingLock\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\"},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"currentRoundTotalActiveStake\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"nextRoundTotalActiveStake\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"unbondingPeriod\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint64\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"treasuryRewardCutRate\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"nextRoundTreasuryRewardCutRate\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"treasuryBalanceCeiling\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"TranscoderUpdate\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"rewardCut\"},{\"type\":\"uint256\",\"name\":\"feeShare\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"TranscoderActivated\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"activationRound\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"TranscoderDeactivated\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"deactivationRound\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"TranscoderSlashed\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"address\",\"name\":\"finder\"},{\"type\":\"uint256\",\"name\":\"penalty\"},{\"type\":\"uint256\",\"name\":\"finderReward\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Reward\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"TreasuryReward\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"address\",\"name\":\"treasury\"},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"RewardCallerSet\",\"inputs\":[{\"type\":\"address\",\"name\":\"transcoder\",\"indexed\":true},{\"type\":\"address\",\"name\":\"rewardCaller\",\"indexed\":true}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Bond\",\"inputs\":[{\"type\":\"address\",\"name\":\"newDelegate\",\"indexed\":true},{\"type\":\"address\",\"name\":\"oldDelegate\",\"indexed\":true},{\"type\":\"address\",\"name\":\"delegator\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"additionalAmount\"},{\"type\":\"uint256\",\"name\":\"bondedAmount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Unbond\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegate\",\"indexed\":true},{\"type\":\"address\",\"name\":\"delegator\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"},{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"uint256\",\"name\":\"withdrawRound\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Rebond\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegate\",\"indexed\":true},{\"type\":\"address\",\"name\":\"delegator\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"TransferBond\",\"inputs\":[{\"type\":\"address\",\"name\":\"oldDelegator\",\"indexed\":true},{\"type\":\"address\",\"name\":\"newDelegator\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"oldUnbondingLockId\"},{\"type\":\"uint256\",\"name\":\"newUnbondingLockId\"},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"WithdrawStake\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"unbondingLockId\"},{\"type\":\"uint256\",\"name\":\"amount\"},{\"type\":\"uint256\",\"name\":\"withdrawRound\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"WithdrawFees\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegator\",\"indexed\":true},{\"type\":\"address\",\"name\":\"recipient\"},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"EarningsClaimed\",\"inputs\":[{\"type\":\"address\",\"name\":\"delegate\",\"indexed\":true},{\"type\":\"address\",\"name\":\"delegator\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"rewards\"},{\"type\":\"uint256\",\"name\":\"fees\"},{\"type\":\"uint256\",\"name\":\"startRound\"},{\"type\":\"uint256\",\"name\":\"endRound\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ParameterUpdate\",\"inputs\":[{\"type\":\"string\",\"name\":\"param\"}]}]",
	ID:  "BondingManager",
}

// BondingManager is an auto generated Go binding around an Ethereum contract.
type BondingManager struct {
	abi abi.ABI
}

// NewBondingManager creates a new instance of BondingManager.
func NewBondingManager() *BondingManager {
	parsed, err := BondingManagerMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &BondingManager{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *BondingManager) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackBond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb78d27dc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function bond(uint256 amount, address to) returns()
func (bondingManager *BondingManager) PackBond(amount *big.Int, to common.Address) []byte {
	enc, err := bondingManager.abi.Pack("bond", amount, to)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb78d27dc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function bond(uint256 amount, address to) returns()
func (bondingManager *BondingManager) TryPackBond(amount *big.Int, to common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("bond", amount, to)
}

// PackBondForWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xee4e804a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function bondForWithHint(uint256 amount, address owner, address to, address oldDelegateNewPosPrev, address oldDelegateNewPosNext, address currDelegateNewPosPrev, address currDelegateNewPosNext) returns()
func (bondingManager *BondingManager) PackBondForWithHint(amount *big.Int, owner common.Address, to common.Address, oldDelegateNewPosPrev common.Address, oldDelegateNewPosNext common.Address, currDelegateNewPosPrev common.Address, currDelegateNewPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("bondForWithHint", amount, owner, to, oldDelegateNewPosPrev, oldDelegateNewPosNext, currDelegateNewPosPrev, currDelegateNewPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBondForWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xee4e804a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function bondForWithHint(uint256 amount, address owner, address to, address oldDelegateNewPosPrev, address oldDelegateNewPosNext, address currDelegateNewPosPrev, address currDelegateNewPosNext) returns()
func (bondingManager *BondingManager) TryPackBondForWithHint(amount *big.Int, owner common.Address, to common.Address, oldDelegateNewPosPrev common.Address, oldDelegateNewPosNext common.Address, currDelegateNewPosPrev common.Address, currDelegateNewPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("bondForWithHint", amount, owner, to, oldDelegateNewPosPrev, oldDelegateNewPosNext, currDelegateNewPosPrev, currDelegateNewPosNext)
}

// PackBondWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6bd9add4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function bondWithHint(uint256 amount, address to, address oldDelegateNewPosPrev, address oldDelegateNewPosNext, address currDelegateNewPosPrev, address currDelegateNewPosNext) returns()
func (bondingManager *BondingManager) PackBondWithHint(amount *big.Int, to common.Address, oldDelegateNewPosPrev common.Address, oldDelegateNewPosNext common.Address, currDelegateNewPosPrev common.Address, currDelegateNewPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("bondWithHint", amount, to, oldDelegateNewPosPrev, oldDelegateNewPosNext, currDelegateNewPosPrev, currDelegateNewPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBondWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6bd9add4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function bondWithHint(uint256 amount, address to, address oldDelegateNewPosPrev, address oldDelegateNewPosNext, address currDelegateNewPosPrev, address currDelegateNewPosNext) returns()
func (bondingManager *BondingManager) TryPackBondWithHint(amount *big.Int, to common.Address, oldDelegateNewPosPrev common.Address, oldDelegateNewPosNext common.Address, currDelegateNewPosPrev common.Address, currDelegateNewPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("bondWithHint", amount, to, oldDelegateNewPosPrev, oldDelegateNewPosNext, currDelegateNewPosPrev, currDelegateNewPosNext)
}

// PackCheckpointBondingState is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd52bd62b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function checkpointBondingState(address account) returns()
func (bondingManager *BondingManager) PackCheckpointBondingState(account common.Address) []byte {
	enc, err := bondingManager.abi.Pack("checkpointBondingState", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCheckpointBondingState is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd52bd62b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function checkpointBondingState(address account) returns()
func (bondingManager *BondingManager) TryPackCheckpointBondingState(account common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("checkpointBondingState", account)
}

// PackClaimEarnings is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24b1babf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function claimEarnings(uint256 endRound) returns()
func (bondingManager *BondingManager) PackClaimEarnings(endRound *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("claimEarnings", endRound)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackClaimEarnings is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24b1babf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function claimEarnings(uint256 endRound) returns()
func (bondingManager *BondingManager) TryPackClaimEarnings(endRound *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("claimEarnings", endRound)
}

// PackCurrentRoundTotalActiveStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4196ee75.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentRoundTotalActiveStake() view returns(uint256)
func (bondingManager *BondingManager) PackCurrentRoundTotalActiveStake() []byte {
	enc, err := bondingManager.abi.Pack("currentRoundTotalActiveStake")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentRoundTotalActiveStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4196ee75.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentRoundTotalActiveStake() view returns(uint256)
func (bondingManager *BondingManager) TryPackCurrentRoundTotalActiveStake() ([]byte, error) {
	return bondingManager.abi.Pack("currentRoundTotalActiveStake")
}

// UnpackCurrentRoundTotalActiveStake is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4196ee75.
//
// Solidity: function currentRoundTotalActiveStake() view returns(uint256)
func (bondingManager *BondingManager) UnpackCurrentRoundTotalActiveStake(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("currentRoundTotalActiveStake", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackDelegatorStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1544fc67.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function delegatorStatus(address delegator) view returns(uint8)
func (bondingManager *BondingManager) PackDelegatorStatus(delegator common.Address) []byte {
	enc, err := bondingManager.abi.Pack("delegatorStatus", delegator)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDelegatorStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1544fc67.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function delegatorStatus(address delegator) view returns(uint8)
func (bondingManager *BondingManager) TryPackDelegatorStatus(delegator common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("delegatorStatus", delegator)
}

// UnpackDelegatorStatus is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1544fc67.
//
// Solidity: function delegatorStatus(address delegator) view returns(uint8)
func (bondingManager *BondingManager) UnpackDelegatorStatus(data []byte) (uint8, error) {
	out, err := bondingManager.abi.Unpack("delegatorStatus", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackGetDelegator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa64ad595.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getDelegator(address delegator) view returns(uint256 bondedAmount, uint256 fees, address delegateAddress, uint256 delegatedAmount, uint256 startRound, uint256 lastClaimRound, uint256 nextUnbondingLockId)
func (bondingManager *BondingManager) PackGetDelegator(delegator common.Address) []byte {
	enc, err := bondingManager.abi.Pack("getDelegator", delegator)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetDelegator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa64ad595.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getDelegator(address delegator) view returns(uint256 bondedAmount, uint256 fees, address delegateAddress, uint256 delegatedAmount, uint256 startRound, uint256 lastClaimRound, uint256 nextUnbondingLockId)
func (bondingManager *BondingManager) TryPackGetDelegator(delegator common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("getDelegator", delegator)
}

// GetDelegatorOutput serves as a container for the return parameters of contract
// method GetDelegator.
type GetDelegatorOutput struct {
	BondedAmount        *big.Int
	Fees                *big.Int
	DelegateAddress     common.Address
	DelegatedAmount     *big.Int
	StartRound          *big.Int
	LastClaimRound      *big.Int
	NextUnbondingLockId *big.Int
}

// UnpackGetDelegator is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa64ad595.
//
// Solidity: function getDelegator(address delegator) view returns(uint256 bondedAmount, uint256 fees, address delegateAddress, uint256 delegatedAmount, uint256 startRound, uint256 lastClaimRound, uint256 nextUnbondingLockId)
func (bondingManager *BondingManager) UnpackGetDelegator(data []byte) (GetDelegatorOutput, error) {
	out, err := bondingManager.abi.Unpack("getDelegator", data)
	outstruct := new(GetDelegatorOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.BondedAmount = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.Fees = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	outstruct.DelegateAddress = *abi.ConvertType(out[2], new(common.Address)).(*common.Address)
	outstruct.DelegatedAmount = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	outstruct.StartRound = abi.ConvertType(out[4], new(big.Int)).(*big.Int)
	outstruct.LastClaimRound = abi.ConvertType(out[5], new(big.Int)).(*big.Int)
	outstruct.NextUnbondingLockId = abi.ConvertType(out[6], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackGetDelegatorUnbondingLock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x412f83b6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getDelegatorUnbondingLock(address delegator, uint256 unbondingLockId) view returns(uint256 amount, uint256 withdrawRound)
func (bondingManager *BondingManager) PackGetDelegatorUnbondingLock(delegator common.Address, unbondingLockId *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("getDelegatorUnbondingLock", delegator, unbondingLockId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetDelegatorUnbondingLock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x412f83b6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getDelegatorUnbondingLock(address delegator, uint256 unbondingLockId) view returns(uint256 amount, uint256 withdrawRound)
func (bondingManager *BondingManager) TryPackGetDelegatorUnbondingLock(delegator common.Address, unbondingLockId *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("getDelegatorUnbondingLock", delegator, unbondingLockId)
}

// GetDelegatorUnbondingLockOutput serves as a container for the return parameters of contract
// method GetDelegatorUnbondingLock.
type GetDelegatorUnbondingLockOutput struct {
	Amount        *big.Int
	WithdrawRound *big.Int
}

// UnpackGetDelegatorUnbondingLock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x412f83b6.
//
// Solidity: function getDelegatorUnbondingLock(address delegator, uint256 unbondingLockId) view returns(uint256 amount, uint256 withdrawRound)
func (bondingManager *BondingManager) UnpackGetDelegatorUnbondingLock(data []byte) (GetDelegatorUnbondingLockOutput, error) {
	out, err := bondingManager.abi.Unpack("getDelegatorUnbondingLock", data)
	outstruct := new(GetDelegatorUnbondingLockOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Amount = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.WithdrawRound = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackGetFirstTranscoderInPool is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x88a6c749.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getFirstTranscoderInPool() view returns(address)
func (bondingManager *BondingManager) PackGetFirstTranscoderInPool() []byte {
	enc, err := bondingManager.abi.Pack("getFirstTranscoderInPool")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetFirstTranscoderInPool is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x88a6c749.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getFirstTranscoderInPool() view returns(address)
func (bondingManager *BondingManager) TryPackGetFirstTranscoderInPool() ([]byte, error) {
	return bondingManager.abi.Pack("getFirstTranscoderInPool")
}

// UnpackGetFirstTranscoderInPool is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x88a6c749.
//
// Solidity: function getFirstTranscoderInPool() view returns(address)
func (bondingManager *BondingManager) UnpackGetFirstTranscoderInPool(data []byte) (common.Address, error) {
	out, err := bondingManager.abi.Unpack("getFirstTranscoderInPool", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackGetNextTranscoderInPool is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x235c9603.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getNextTranscoderInPool(address transcoder) view returns(address)
func (bondingManager *BondingManager) PackGetNextTranscoderInPool(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("getNextTranscoderInPool", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetNextTranscoderInPool is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x235c9603.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getNextTranscoderInPool(address transcoder) view returns(address)
func (bondingManager *BondingManager) TryPackGetNextTranscoderInPool(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("getNextTranscoderInPool", transcoder)
}

// UnpackGetNextTranscoderInPool is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x235c9603.
//
// Solidity: function getNextTranscoderInPool(address transcoder) view returns(address)
func (bondingManager *BondingManager) UnpackGetNextTranscoderInPool(data []byte) (common.Address, error) {
	out, err := bondingManager.abi.Unpack("getNextTranscoderInPool", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackGetTotalBonded is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c50c356.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getTotalBonded() view returns(uint256)
func (bondingManager *BondingManager) PackGetTotalBonded() []byte {
	enc, err := bondingManager.abi.Pack("getTotalBonded")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetTotalBonded is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c50c356.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getTotalBonded() view returns(uint256)
func (bondingManager *BondingManager) TryPackGetTotalBonded() ([]byte, error) {
	return bondingManager.abi.Pack("getTotalBonded")
}

// UnpackGetTotalBonded is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5c50c356.
//
// Solidity: function getTotalBonded() view returns(uint256)
func (bondingManager *BondingManager) UnpackGetTotalBonded(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("getTotalBonded", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5dce9948.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getTranscoder(address transcoder) view returns(uint256 lastRewardRound, uint256 rewardCut, uint256 feeShare, uint256 lastActiveStakeUpdateRound, uint256 activationRound, uint256 deactivationRound, uint256 activeCumulativeRewards, uint256 cumulativeRewards, uint256 cumulativeFees, uint256 lastFeeRound)
func (bondingManager *BondingManager) PackGetTranscoder(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("getTranscoder", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5dce9948.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getTranscoder(address transcoder) view returns(uint256 lastRewardRound, uint256 rewardCut, uint256 feeShare, uint256 lastActiveStakeUpdateRound, uint256 activationRound, uint256 deactivationRound, uint256 activeCumulativeRewards, uint256 cumulativeRewards, uint256 cumulativeFees, uint256 lastFeeRound)
func (bondingManager *BondingManager) TryPackGetTranscoder(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("getTranscoder", transcoder)
}

// GetTranscoderOutput serves as a container for the return parameters of contract
// method GetTranscoder.
type GetTranscoderOutput struct {
	LastRewardRound            *big.Int
	RewardCut                  *big.Int
	FeeShare                   *big.Int
	LastActiveStakeUpdateRound *big.Int
	ActivationRound            *big.Int
	DeactivationRound          *big.Int
	ActiveCumulativeRewards    *big.Int
	CumulativeRewards          *big.Int
	CumulativeFees             *big.Int
	LastFeeRound               *big.Int
}

// UnpackGetTranscoder is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5dce9948.
//
// Solidity: function getTranscoder(address transcoder) view returns(uint256 lastRewardRound, uint256 rewardCut, uint256 feeShare, uint256 lastActiveStakeUpdateRound, uint256 activationRound, uint256 deactivationRound, uint256 activeCumulativeRewards, uint256 cumulativeRewards, uint256 cumulativeFees, uint256 lastFeeRound)
func (bondingManager *BondingManager) UnpackGetTranscoder(data []byte) (GetTranscoderOutput, error) {
	out, err := bondingManager.abi.Unpack("getTranscoder", data)
	outstruct := new(GetTranscoderOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.LastRewardRound = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.RewardCut = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	outstruct.FeeShare = abi.ConvertType(out[2], new(big.Int)).(*big.Int)
	outstruct.LastActiveStakeUpdateRound = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	outstruct.ActivationRound = abi.ConvertType(out[4], new(big.Int)).(*big.Int)
	outstruct.DeactivationRound = abi.ConvertType(out[5], new(big.Int)).(*big.Int)
	outstruct.ActiveCumulativeRewards = abi.ConvertType(out[6], new(big.Int)).(*big.Int)
	outstruct.CumulativeRewards = abi.ConvertType(out[7], new(big.Int)).(*big.Int)
	outstruct.CumulativeFees = abi.ConvertType(out[8], new(big.Int)).(*big.Int)
	outstruct.LastFeeRound = abi.ConvertType(out[9], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackGetTranscoderEarningsPoolForRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24454fc4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getTranscoderEarningsPoolForRound(address transcoder, uint256 round) view returns(uint256 totalStake, uint256 transcoderRewardCut, uint256 transcoderFeeShare, uint256 cumulativeRewardFactor, uint256 cumulativeFeeFactor)
func (bondingManager *BondingManager) PackGetTranscoderEarningsPoolForRound(transcoder common.Address, round *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("getTranscoderEarningsPoolForRound", transcoder, round)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetTranscoderEarningsPoolForRound is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24454fc4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getTranscoderEarningsPoolForRound(address transcoder, uint256 round) view returns(uint256 totalStake, uint256 transcoderRewardCut, uint256 transcoderFeeShare, uint256 cumulativeRewardFactor, uint256 cumulativeFeeFactor)
func (bondingManager *BondingManager) TryPackGetTranscoderEarningsPoolForRound(transcoder common.Address, round *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("getTranscoderEarningsPoolForRound", transcoder, round)
}

// GetTranscoderEarningsPoolForRoundOutput serves as a container for the return parameters of contract
// method GetTranscoderEarningsPoolForRound.
type GetTranscoderEarningsPoolForRoundOutput struct {
	TotalStake             *big.Int
	TranscoderRewardCut    *big.Int
	TranscoderFeeShare     *big.Int
	CumulativeRewardFactor *big.Int
	CumulativeFeeFactor    *big.Int
}

// UnpackGetTranscoderEarningsPoolForRound is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x24454fc4.
//
// Solidity: function getTranscoderEarningsPoolForRound(address transcoder, uint256 round) view returns(uint256 totalStake, uint256 transcoderRewardCut, uint256 transcoderFeeShare, uint256 cumulativeRewardFactor, uint256 cumulativeFeeFactor)
func (bondingManager *BondingManager) UnpackGetTranscoderEarningsPoolForRound(data []byte) (GetTranscoderEarningsPoolForRoundOutput, error) {
	out, err := bondingManager.abi.Unpack("getTranscoderEarningsPoolForRound", data)
	outstruct := new(GetTranscoderEarningsPoolForRoundOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.TotalStake = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.TranscoderRewardCut = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	outstruct.TranscoderFeeShare = abi.ConvertType(out[2], new(big.Int)).(*big.Int)
	outstruct.CumulativeRewardFactor = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	outstruct.CumulativeFeeFactor = abi.ConvertType(out[4], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackGetTranscoderPoolMaxSize is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a2a75a9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getTranscoderPoolMaxSize() view returns(uint256)
func (bondingManager *BondingManager) PackGetTranscoderPoolMaxSize() []byte {
	enc, err := bondingManager.abi.Pack("getTranscoderPoolMaxSize")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetTranscoderPoolMaxSize is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a2a75a9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getTranscoderPoolMaxSize() view returns(uint256)
func (bondingManager *BondingManager) TryPackGetTranscoderPoolMaxSize() ([]byte, error) {
	return bondingManager.abi.Pack("getTranscoderPoolMaxSize")
}

// UnpackGetTranscoderPoolMaxSize is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5a2a75a9.
//
// Solidity: function getTranscoderPoolMaxSize() view returns(uint256)
func (bondingManager *BondingManager) UnpackGetTranscoderPoolMaxSize(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("getTranscoderPoolMaxSize", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetTranscoderPoolSize is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2a4e0d55.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getTranscoderPoolSize() view returns(uint256)
func (bondingManager *BondingManager) PackGetTranscoderPoolSize() []byte {
	enc, err := bondingManager.abi.Pack("getTranscoderPoolSize")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetTranscoderPoolSize is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2a4e0d55.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getTranscoderPoolSize() view returns(uint256)
func (bondingManager *BondingManager) TryPackGetTranscoderPoolSize() ([]byte, error) {
	return bondingManager.abi.Pack("getTranscoderPoolSize")
}

// UnpackGetTranscoderPoolSize is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2a4e0d55.
//
// Solidity: function getTranscoderPoolSize() view returns(uint256)
func (bondingManager *BondingManager) UnpackGetTranscoderPoolSize(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("getTranscoderPoolSize", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackIsActiveTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x08802374.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isActiveTranscoder(address transcoder) view returns(bool)
func (bondingManager *BondingManager) PackIsActiveTranscoder(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("isActiveTranscoder", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsActiveTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x08802374.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isActiveTranscoder(address transcoder) view returns(bool)
func (bondingManager *BondingManager) TryPackIsActiveTranscoder(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("isActiveTranscoder", transcoder)
}

// UnpackIsActiveTranscoder is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x08802374.
//
// Solidity: function isActiveTranscoder(address transcoder) view returns(bool)
func (bondingManager *BondingManager) UnpackIsActiveTranscoder(data []byte) (bool, error) {
	out, err := bondingManager.abi.Unpack("isActiveTranscoder", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsRegisteredTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x68ba170c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isRegisteredTranscoder(address transcoder) view returns(bool)
func (bondingManager *BondingManager) PackIsRegisteredTranscoder(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("isRegisteredTranscoder", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsRegisteredTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x68ba170c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isRegisteredTranscoder(address transcoder) view returns(bool)
func (bondingManager *BondingManager) TryPackIsRegisteredTranscoder(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("isRegisteredTranscoder", transcoder)
}

// UnpackIsRegisteredTranscoder is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x68ba170c.
//
// Solidity: function isRegisteredTranscoder(address transcoder) view returns(bool)
func (bondingManager *BondingManager) UnpackIsRegisteredTranscoder(data []byte) (bool, error) {
	out, err := bondingManager.abi.Unpack("isRegisteredTranscoder", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsValidUnbondingLock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0fd02fc1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isValidUnbondingLock(address delegator, uint256 unbondingLockId) view returns(bool)
func (bondingManager *BondingManager) PackIsValidUnbondingLock(delegator common.Address, unbondingLockId *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("isValidUnbondingLock", delegator, unbondingLockId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsValidUnbondingLock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0fd02fc1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isValidUnbondingLock(address delegator, uint256 unbondingLockId) view returns(bool)
func (bondingManager *BondingManager) TryPackIsValidUnbondingLock(delegator common.Address, unbondingLockId *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("isValidUnbondingLock", delegator, unbondingLockId)
}

// UnpackIsValidUnbondingLock is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0fd02fc1.
//
// Solidity: function isValidUnbondingLock(address delegator, uint256 unbondingLockId) view returns(bool)
func (bondingManager *BondingManager) UnpackIsValidUnbondingLock(data []byte) (bool, error) {
	out, err := bondingManager.abi.Unpack("isValidUnbondingLock", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackNextRoundTotalActiveStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x465501d3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function nextRoundTotalActiveStake() view returns(uint256)
func (bondingManager *BondingManager) PackNextRoundTotalActiveStake() []byte {
	enc, err := bondingManager.abi.Pack("nextRoundTotalActiveStake")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackNextRoundTotalActiveStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x465501d3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function nextRoundTotalActiveStake() view returns(uint256)
func (bondingManager *BondingManager) TryPackNextRoundTotalActiveStake() ([]byte, error) {
	return bondingManager.abi.Pack("nextRoundTotalActiveStake")
}

// UnpackNextRoundTotalActiveStake is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x465501d3.
//
// Solidity: function nextRoundTotalActiveStake() view returns(uint256)
func (bondingManager *BondingManager) UnpackNextRoundTotalActiveStake(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("nextRoundTotalActiveStake", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackNextRoundTreasuryRewardCutRate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa5766231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function nextRoundTreasuryRewardCutRate() view returns(uint256)
func (bondingManager *BondingManager) PackNextRoundTreasuryRewardCutRate() []byte {
	enc, err := bondingManager.abi.Pack("nextRoundTreasuryRewardCutRate")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackNextRoundTreasuryRewardCutRate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa5766231.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function nextRoundTreasuryRewardCutRate() view returns(uint256)
func (bondingManager *BondingManager) TryPackNextRoundTreasuryRewardCutRate() ([]byte, error) {
	return bondingManager.abi.Pack("nextRoundTreasuryRewardCutRate")
}

// UnpackNextRoundTreasuryRewardCutRate is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa5766231.
//
// Solidity: function nextRoundTreasuryRewardCutRate() view returns(uint256)
func (bondingManager *BondingManager) UnpackNextRoundTreasuryRewardCutRate(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("nextRoundTreasuryRewardCutRate", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPendingFees is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf595f1cc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingFees(address delegator, uint256 endRound) view returns(uint256)
func (bondingManager *BondingManager) PackPendingFees(delegator common.Address, endRound *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("pendingFees", delegator, endRound)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingFees is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf595f1cc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingFees(address delegator, uint256 endRound) view returns(uint256)
func (bondingManager *BondingManager) TryPackPendingFees(delegator common.Address, endRound *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("pendingFees", delegator, endRound)
}

// UnpackPendingFees is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf595f1cc.
//
// Solidity: function pendingFees(address delegator, uint256 endRound) view returns(uint256)
func (bondingManager *BondingManager) UnpackPendingFees(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("pendingFees", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPendingStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9d0b2c7a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingStake(address delegator, uint256 endRound) view returns(uint256)
func (bondingManager *BondingManager) PackPendingStake(delegator common.Address, endRound *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("pendingStake", delegator, endRound)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9d0b2c7a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingStake(address delegator, uint256 endRound) view returns(uint256)
func (bondingManager *BondingManager) TryPackPendingStake(delegator common.Address, endRound *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("pendingStake", delegator, endRound)
}

// UnpackPendingStake is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9d0b2c7a.
//
// Solidity: function pendingStake(address delegator, uint256 endRound) view returns(uint256)
func (bondingManager *BondingManager) UnpackPendingStake(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("pendingStake", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackRebond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeaffb3f9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rebond(uint256 unbondingLockId) returns()
func (bondingManager *BondingManager) PackRebond(unbondingLockId *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("rebond", unbondingLockId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRebond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeaffb3f9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rebond(uint256 unbondingLockId) returns()
func (bondingManager *BondingManager) TryPackRebond(unbondingLockId *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("rebond", unbondingLockId)
}

// PackRebondFromUnbonded is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a080e93.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rebondFromUnbonded(address to, uint256 unbondingLockId) returns()
func (bondingManager *BondingManager) PackRebondFromUnbonded(to common.Address, unbondingLockId *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("rebondFromUnbonded", to, unbondingLockId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRebondFromUnbonded is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a080e93.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rebondFromUnbonded(address to, uint256 unbondingLockId) returns()
func (bondingManager *BondingManager) TryPackRebondFromUnbonded(to common.Address, unbondingLockId *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("rebondFromUnbonded", to, unbondingLockId)
}

// PackRebondFromUnbondedWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0584a373.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rebondFromUnbondedWithHint(address to, uint256 unbondingLockId, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) PackRebondFromUnbondedWithHint(to common.Address, unbondingLockId *big.Int, newPosPrev common.Address, newPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("rebondFromUnbondedWithHint", to, unbondingLockId, newPosPrev, newPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRebondFromUnbondedWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0584a373.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rebondFromUnbondedWithHint(address to, uint256 unbondingLockId, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) TryPackRebondFromUnbondedWithHint(to common.Address, unbondingLockId *big.Int, newPosPrev common.Address, newPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("rebondFromUnbondedWithHint", to, unbondingLockId, newPosPrev, newPosNext)
}

// PackRebondWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7fc4606f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rebondWithHint(uint256 unbondingLockId, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) PackRebondWithHint(unbondingLockId *big.Int, newPosPrev common.Address, newPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("rebondWithHint", unbondingLockId, newPosPrev, newPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRebondWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7fc4606f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rebondWithHint(uint256 unbondingLockId, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) TryPackRebondWithHint(unbondingLockId *big.Int, newPosPrev common.Address, newPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("rebondWithHint", unbondingLockId, newPosPrev, newPosNext)
}

// PackReward is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x228cb733.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function reward() returns()
func (bondingManager *BondingManager) PackReward() []byte {
	enc, err := bondingManager.abi.Pack("reward")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReward is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x228cb733.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function reward() returns()
func (bondingManager *BondingManager) TryPackReward() ([]byte, error) {
	return bondingManager.abi.Pack("reward")
}

// PackRewardForTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1a8c41f8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rewardForTranscoder(address transcoder) returns()
func (bondingManager *BondingManager) PackRewardForTranscoder(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("rewardForTranscoder", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRewardForTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1a8c41f8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rewardForTranscoder(address transcoder) returns()
func (bondingManager *BondingManager) TryPackRewardForTranscoder(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("rewardForTranscoder", transcoder)
}

// PackRewardForTranscoderWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb556966a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rewardForTranscoderWithHint(address transcoder, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) PackRewardForTranscoderWithHint(transcoder common.Address, newPosPrev common.Address, newPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("rewardForTranscoderWithHint", transcoder, newPosPrev, newPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRewardForTranscoderWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb556966a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rewardForTranscoderWithHint(address transcoder, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) TryPackRewardForTranscoderWithHint(transcoder common.Address, newPosPrev common.Address, newPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("rewardForTranscoderWithHint", transcoder, newPosPrev, newPosNext)
}

// PackRewardWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x81871056.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function rewardWithHint(address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) PackRewardWithHint(newPosPrev common.Address, newPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("rewardWithHint", newPosPrev, newPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRewardWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x81871056.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function rewardWithHint(address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) TryPackRewardWithHint(newPosPrev common.Address, newPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("rewardWithHint", newPosPrev, newPosNext)
}

// PackSetRewardCaller is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0103e60e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setRewardCaller(address rewardCaller) returns()
func (bondingManager *BondingManager) PackSetRewardCaller(rewardCaller common.Address) []byte {
	enc, err := bondingManager.abi.Pack("setRewardCaller", rewardCaller)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetRewardCaller is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0103e60e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setRewardCaller(address rewardCaller) returns()
func (bondingManager *BondingManager) TryPackSetRewardCaller(rewardCaller common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("setRewardCaller", rewardCaller)
}

// PackTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x43d3461a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transcoder(uint256 rewardCut, uint256 feeShare) returns()
func (bondingManager *BondingManager) PackTranscoder(rewardCut *big.Int, feeShare *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("transcoder", rewardCut, feeShare)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTranscoder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x43d3461a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transcoder(uint256 rewardCut, uint256 feeShare) returns()
func (bondingManager *BondingManager) TryPackTranscoder(rewardCut *big.Int, feeShare *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("transcoder", rewardCut, feeShare)
}

// PackTranscoderStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8b2f1652.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transcoderStatus(address transcoder) view returns(uint8)
func (bondingManager *BondingManager) PackTranscoderStatus(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("transcoderStatus", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTranscoderStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8b2f1652.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transcoderStatus(address transcoder) view returns(uint8)
func (bondingManager *BondingManager) TryPackTranscoderStatus(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("transcoderStatus", transcoder)
}

// UnpackTranscoderStatus is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8b2f1652.
//
// Solidity: function transcoderStatus(address transcoder) view returns(uint8)
func (bondingManager *BondingManager) UnpackTranscoderStatus(data []byte) (uint8, error) {
	out, err := bondingManager.abi.Unpack("transcoderStatus", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackTranscoderToRewardCaller is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x47621410.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transcoderToRewardCaller(address transcoder) view returns(address)
func (bondingManager *BondingManager) PackTranscoderToRewardCaller(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("transcoderToRewardCaller", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTranscoderToRewardCaller is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x47621410.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transcoderToRewardCaller(address transcoder) view returns(address)
func (bondingManager *BondingManager) TryPackTranscoderToRewardCaller(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("transcoderToRewardCaller", transcoder)
}

// UnpackTranscoderToRewardCaller is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x47621410.
//
// Solidity: function transcoderToRewardCaller(address transcoder) view returns(address)
func (bondingManager *BondingManager) UnpackTranscoderToRewardCaller(data []byte) (common.Address, error) {
	out, err := bondingManager.abi.Unpack("transcoderToRewardCaller", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackTranscoderTotalStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9ef9df94.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transcoderTotalStake(address transcoder) view returns(uint256)
func (bondingManager *BondingManager) PackTranscoderTotalStake(transcoder common.Address) []byte {
	enc, err := bondingManager.abi.Pack("transcoderTotalStake", transcoder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTranscoderTotalStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9ef9df94.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transcoderTotalStake(address transcoder) view returns(uint256)
func (bondingManager *BondingManager) TryPackTranscoderTotalStake(transcoder common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("transcoderTotalStake", transcoder)
}

// UnpackTranscoderTotalStake is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9ef9df94.
//
// Solidity: function transcoderTotalStake(address transcoder) view returns(uint256)
func (bondingManager *BondingManager) UnpackTranscoderTotalStake(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("transcoderTotalStake", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTranscoderWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3550aa10.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transcoderWithHint(uint256 rewardCut, uint256 feeShare, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) PackTranscoderWithHint(rewardCut *big.Int, feeShare *big.Int, newPosPrev common.Address, newPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("transcoderWithHint", rewardCut, feeShare, newPosPrev, newPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTranscoderWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3550aa10.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transcoderWithHint(uint256 rewardCut, uint256 feeShare, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) TryPackTranscoderWithHint(rewardCut *big.Int, feeShare *big.Int, newPosPrev common.Address, newPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("transcoderWithHint", rewardCut, feeShare, newPosPrev, newPosNext)
}

// PackTransferBond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x062e98b8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferBond(address delegator, uint256 amount, address oldDelegateNewPosPrev, address oldDelegateNewPosNext, address newDelegateNewPosPrev, address newDelegateNewPosNext) returns()
func (bondingManager *BondingManager) PackTransferBond(delegator common.Address, amount *big.Int, oldDelegateNewPosPrev common.Address, oldDelegateNewPosNext common.Address, newDelegateNewPosPrev common.Address, newDelegateNewPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("transferBond", delegator, amount, oldDelegateNewPosPrev, oldDelegateNewPosNext, newDelegateNewPosPrev, newDelegateNewPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferBond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x062e98b8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferBond(address delegator, uint256 amount, address oldDelegateNewPosPrev, address oldDelegateNewPosNext, address newDelegateNewPosPrev, address newDelegateNewPosNext) returns()
func (bondingManager *BondingManager) TryPackTransferBond(delegator common.Address, amount *big.Int, oldDelegateNewPosPrev common.Address, oldDelegateNewPosNext common.Address, newDelegateNewPosPrev common.Address, newDelegateNewPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("transferBond", delegator, amount, oldDelegateNewPosPrev, oldDelegateNewPosNext, newDelegateNewPosPrev, newDelegateNewPosNext)
}

// PackTreasuryBalanceCeiling is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84a16bbc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function treasuryBalanceCeiling() view returns(uint256)
func (bondingManager *BondingManager) PackTreasuryBalanceCeiling() []byte {
	enc, err := bondingManager.abi.Pack("treasuryBalanceCeiling")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTreasuryBalanceCeiling is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84a16bbc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function treasuryBalanceCeiling() view returns(uint256)
func (bondingManager *BondingManager) TryPackTreasuryBalanceCeiling() ([]byte, error) {
	return bondingManager.abi.Pack("treasuryBalanceCeiling")
}

// UnpackTreasuryBalanceCeiling is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x84a16bbc.
//
// Solidity: function treasuryBalanceCeiling() view returns(uint256)
func (bondingManager *BondingManager) UnpackTreasuryBalanceCeiling(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("treasuryBalanceCeiling", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTreasuryRewardCutRate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x558f8f44.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function treasuryRewardCutRate() view returns(uint256)
func (bondingManager *BondingManager) PackTreasuryRewardCutRate() []byte {
	enc, err := bondingManager.abi.Pack("treasuryRewardCutRate")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTreasuryRewardCutRate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x558f8f44.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function treasuryRewardCutRate() view returns(uint256)
func (bondingManager *BondingManager) TryPackTreasuryRewardCutRate() ([]byte, error) {
	return bondingManager.abi.Pack("treasuryRewardCutRate")
}

// UnpackTreasuryRewardCutRate is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x558f8f44.
//
// Solidity: function treasuryRewardCutRate() view returns(uint256)
func (bondingManager *BondingManager) UnpackTreasuryRewardCutRate(data []byte) (*big.Int, error) {
	out, err := bondingManager.abi.Unpack("treasuryRewardCutRate", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackUnbond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x27de9e32.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function unbond(uint256 amount) returns()
func (bondingManager *BondingManager) PackUnbond(amount *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("unbond", amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUnbond is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x27de9e32.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function unbond(uint256 amount) returns()
func (bondingManager *BondingManager) TryPackUnbond(amount *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("unbond", amount)
}

// PackUnbondWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9500ed9b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function unbondWithHint(uint256 amount, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) PackUnbondWithHint(amount *big.Int, newPosPrev common.Address, newPosNext common.Address) []byte {
	enc, err := bondingManager.abi.Pack("unbondWithHint", amount, newPosPrev, newPosNext)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUnbondWithHint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9500ed9b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function unbondWithHint(uint256 amount, address newPosPrev, address newPosNext) returns()
func (bondingManager *BondingManager) TryPackUnbondWithHint(amount *big.Int, newPosPrev common.Address, newPosNext common.Address) ([]byte, error) {
	return bondingManager.abi.Pack("unbondWithHint", amount, newPosPrev, newPosNext)
}

// PackUnbondingPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6cf6d675.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function unbondingPeriod() view returns(uint64)
func (bondingManager *BondingManager) PackUnbondingPeriod() []byte {
	enc, err := bondingManager.abi.Pack("unbondingPeriod")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUnbondingPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6cf6d675.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function unbondingPeriod() view returns(uint64)
func (bondingManager *BondingManager) TryPackUnbondingPeriod() ([]byte, error) {
	return bondingManager.abi.Pack("unbondingPeriod")
}

// UnpackUnbondingPeriod is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6cf6d675.
//
// Solidity: function unbondingPeriod() view returns(uint64)
func (bondingManager *BondingManager) UnpackUnbondingPeriod(data []byte) (uint64, error) {
	out, err := bondingManager.abi.Unpack("unbondingPeriod", data)
	if err != nil {
		return *new(uint64), err
	}
	out0 := *abi.ConvertType(out[0], new(uint64)).(*uint64)
	return out0, nil
}

// PackWithdrawFees is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xad3b1b47.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdrawFees(address recipient, uint256 amount) returns()
func (bondingManager *BondingManager) PackWithdrawFees(recipient common.Address, amount *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("withdrawFees", recipient, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdrawFees is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xad3b1b47.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdrawFees(address recipient, uint256 amount) returns()
func (bondingManager *BondingManager) TryPackWithdrawFees(recipient common.Address, amount *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("withdrawFees", recipient, amount)
}

// PackWithdrawStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x25d5971f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdrawStake(uint256 unbondingLockId) returns()
func (bondingManager *BondingManager) PackWithdrawStake(unbondingLockId *big.Int) []byte {
	enc, err := bondingManager.abi.Pack("withdrawStake", unbondingLockId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdrawStake is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x25d5971f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdrawStake(uint256 unbondingLockId) returns()
func (bondingManager *BondingManager) TryPackWithdrawStake(unbondingLockId *big.Int) ([]byte, error) {
	return bondingManager.abi.Pack("withdrawStake", unbondingLockId)
}

// BondingManagerBond represents a Bond event raised by the BondingManager contract.
type BondingManagerBond struct {
	NewDelegate      common.Address
	OldDelegate      common.Address
	Delegator        common.Address
	AdditionalAmount *big.Int
	BondedAmount     *big.Int
	Raw              *types.Log // Blockchain specific contextual infos
}

const BondingManagerBondEventName = "Bond"

// ContractEventName returns the user-defined event name.
func (BondingManagerBond) ContractEventName() string {
	return BondingManagerBondEventName
}

// UnpackBondEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Bond(address indexed newDelegate, address indexed oldDelegate, address indexed delegator, uint256 additionalAmount, uint256 bondedAmount)
func (bondingManager *BondingManager) UnpackBondEvent(log *types.Log) (*BondingManagerBond, error) {
	event := "Bond"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerBond)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerEarningsClaimed represents a EarningsClaimed event raised by the BondingManager contract.
type BondingManagerEarningsClaimed struct {
	Delegate   common.Address
	Delegator  common.Address
	Rewards    *big.Int
	Fees       *big.Int
	StartRound *big.Int
	EndRound   *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const BondingManagerEarningsClaimedEventName = "EarningsClaimed"

// ContractEventName returns the user-defined event name.
func (BondingManagerEarningsClaimed) ContractEventName() string {
	return BondingManagerEarningsClaimedEventName
}

// UnpackEarningsClaimedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event EarningsClaimed(address indexed delegate, address indexed delegator, uint256 rewards, uint256 fees, uint256 startRound, uint256 endRound)
func (bondingManager *BondingManager) UnpackEarningsClaimedEvent(log *types.Log) (*BondingManagerEarningsClaimed, error) {
	event := "EarningsClaimed"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerEarningsClaimed)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerParameterUpdate represents a ParameterUpdate event raised by the BondingManager contract.
type BondingManagerParameterUpdate struct {
	Param string
	Raw   *types.Log // Blockchain specific contextual infos
}

const BondingManagerParameterUpdateEventName = "ParameterUpdate"

// ContractEventName returns the user-defined event name.
func (BondingManagerParameterUpdate) ContractEventName() string {
	return BondingManagerParameterUpdateEventName
}

// UnpackParameterUpdateEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ParameterUpdate(string param)
func (bondingManager *BondingManager) UnpackParameterUpdateEvent(log *types.Log) (*BondingManagerParameterUpdate, error) {
	event := "ParameterUpdate"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerParameterUpdate)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerRebond represents a Rebond event raised by the BondingManager contract.
type BondingManagerRebond struct {
	Delegate        common.Address
	Delegator       common.Address
	UnbondingLockId *big.Int
	Amount          *big.Int
	Raw             *types.Log // Blockchain specific contextual infos
}

const BondingManagerRebondEventName = "Rebond"

// ContractEventName returns the user-defined event name.
func (BondingManagerRebond) ContractEventName() string {
	return BondingManagerRebondEventName
}

// UnpackRebondEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Rebond(address indexed delegate, address indexed delegator, uint256 unbondingLockId, uint256 amount)
func (bondingManager *BondingManager) UnpackRebondEvent(log *types.Log) (*BondingManagerRebond, error) {
	event := "Rebond"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerRebond)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerReward represents a Reward event raised by the BondingManager contract.
type BondingManagerReward struct {
	Transcoder common.Address
	Amount     *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const BondingManagerRewardEventName = "Reward"

// ContractEventName returns the user-defined event name.
func (BondingManagerReward) ContractEventName() string {
	return BondingManagerRewardEventName
}

// UnpackRewardEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Reward(address indexed transcoder, uint256 amount)
func (bondingManager *BondingManager) UnpackRewardEvent(log *types.Log) (*BondingManagerReward, error) {
	event := "Reward"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerReward)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerRewardCallerSet represents a RewardCallerSet event raised by the BondingManager contract.
type BondingManagerRewardCallerSet struct {
	Transcoder   common.Address
	RewardCaller common.Address
	Raw          *types.Log // Blockchain specific contextual infos
}

const BondingManagerRewardCallerSetEventName = "RewardCallerSet"

// ContractEventName returns the user-defined event name.
func (BondingManagerRewardCallerSet) ContractEventName() string {
	return BondingManagerRewardCallerSetEventName
}

// UnpackRewardCallerSetEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event RewardCallerSet(address indexed transcoder, address indexed rewardCaller)
func (bondingManager *BondingManager) UnpackRewardCallerSetEvent(log *types.Log) (*BondingManagerRewardCallerSet, error) {
	event := "RewardCallerSet"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerRewardCallerSet)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerTranscoderActivated represents a TranscoderActivated event raised by the BondingManager contract.
type BondingManagerTranscoderActivated struct {
	Transcoder      common.Address
	ActivationRound *big.Int
	Raw             *types.Log // Blockchain specific contextual infos
}

const BondingManagerTranscoderActivatedEventName = "TranscoderActivated"

// ContractEventName returns the user-defined event name.
func (BondingManagerTranscoderActivated) ContractEventName() string {
	return BondingManagerTranscoderActivatedEventName
}

// UnpackTranscoderActivatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TranscoderActivated(address indexed transcoder, uint256 activationRound)
func (bondingManager *BondingManager) UnpackTranscoderActivatedEvent(log *types.Log) (*BondingManagerTranscoderActivated, error) {
	event := "TranscoderActivated"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerTranscoderActivated)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerTranscoderDeactivated represents a TranscoderDeactivated event raised by the BondingManager contract.
type BondingManagerTranscoderDeactivated struct {
	Transcoder        common.Address
	DeactivationRound *big.Int
	Raw               *types.Log // Blockchain specific contextual infos
}

const BondingManagerTranscoderDeactivatedEventName = "TranscoderDeactivated"

// ContractEventName returns the user-defined event name.
func (BondingManagerTranscoderDeactivated) ContractEventName() string {
	return BondingManagerTranscoderDeactivatedEventName
}

// UnpackTranscoderDeactivatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TranscoderDeactivated(address indexed transcoder, uint256 deactivationRound)
func (bondingManager *BondingManager) UnpackTranscoderDeactivatedEvent(log *types.Log) (*BondingManagerTranscoderDeactivated, error) {
	event := "TranscoderDeactivated"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerTranscoderDeactivated)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerTranscoderSlashed represents a TranscoderSlashed event raised by the BondingManager contract.
type BondingManagerTranscoderSlashed struct {
	Transcoder   common.Address
	Finder       common.Address
	Penalty      *big.Int
	FinderReward *big.Int
	Raw          *types.Log // Blockchain specific contextual infos
}

const BondingManagerTranscoderSlashedEventName = "TranscoderSlashed"

// ContractEventName returns the user-defined event name.
func (BondingManagerTranscoderSlashed) ContractEventName() string {
	return BondingManagerTranscoderSlashedEventName
}

// UnpackTranscoderSlashedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TranscoderSlashed(address indexed transcoder, address finder, uint256 penalty, uint256 finderReward)
func (bondingManager *BondingManager) UnpackTranscoderSlashedEvent(log *types.Log) (*BondingManagerTranscoderSlashed, error) {
	event := "TranscoderSlashed"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerTranscoderSlashed)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerTranscoderUpdate represents a TranscoderUpdate event raised by the BondingManager contract.
type BondingManagerTranscoderUpdate struct {
	Transcoder common.Address
	RewardCut  *big.Int
	FeeShare   *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const BondingManagerTranscoderUpdateEventName = "TranscoderUpdate"

// ContractEventName returns the user-defined event name.
func (BondingManagerTranscoderUpdate) ContractEventName() string {
	return BondingManagerTranscoderUpdateEventName
}

// UnpackTranscoderUpdateEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TranscoderUpdate(address indexed transcoder, uint256 rewardCut, uint256 feeShare)
func (bondingManager *BondingManager) UnpackTranscoderUpdateEvent(log *types.Log) (*BondingManagerTranscoderUpdate, error) {
	event := "TranscoderUpdate"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerTranscoderUpdate)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerTransferBond represents a TransferBond event raised by the BondingManager contract.
type BondingManagerTransferBond struct {
	OldDelegator       common.Address
	NewDelegator       common.Address
	OldUnbondingLockId *big.Int
	NewUnbondingLockId *big.Int
	Amount             *big.Int
	Raw                *types.Log // Blockchain specific contextual infos
}

const BondingManagerTransferBondEventName = "TransferBond"

// ContractEventName returns the user-defined event name.
func (BondingManagerTransferBond) ContractEventName() string {
	return BondingManagerTransferBondEventName
}

// UnpackTransferBondEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TransferBond(address indexed oldDelegator, address indexed newDelegator, uint256 oldUnbondingLockId, uint256 newUnbondingLockId, uint256 amount)
func (bondingManager *BondingManager) UnpackTransferBondEvent(log *types.Log) (*BondingManagerTransferBond, error) {
	event := "TransferBond"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerTransferBond)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerTreasuryReward represents a TreasuryReward event raised by the BondingManager contract.
type BondingManagerTreasuryReward struct {
	Transcoder common.Address
	Treasury   common.Address
	Amount     *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const BondingManagerTreasuryRewardEventName = "TreasuryReward"

// ContractEventName returns the user-defined event name.
func (BondingManagerTreasuryReward) ContractEventName() string {
	return BondingManagerTreasuryRewardEventName
}

// UnpackTreasuryRewardEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TreasuryReward(address indexed transcoder, address treasury, uint256 amount)
func (bondingManager *BondingManager) UnpackTreasuryRewardEvent(log *types.Log) (*BondingManagerTreasuryReward, error) {
	event := "TreasuryReward"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerTreasuryReward)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerUnbond represents a Unbond event raised by the BondingManager contract.
type BondingManagerUnbond struct {
	Delegate        common.Address
	Delegator       common.Address
	UnbondingLockId *big.Int
	Amount          *big.Int
	WithdrawRound   *big.Int
	Raw             *types.Log // Blockchain specific contextual infos
}

const BondingManagerUnbondEventName = "Unbond"

// ContractEventName returns the user-defined event name.
func (BondingManagerUnbond) ContractEventName() string {
	return BondingManagerUnbondEventName
}

// UnpackUnbondEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Unbond(address indexed delegate, address indexed delegator, uint256 unbondingLockId, uint256 amount, uint256 withdrawRound)
func (bondingManager *BondingManager) UnpackUnbondEvent(log *types.Log) (*BondingManagerUnbond, error) {
	event := "Unbond"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerUnbond)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerWithdrawFees represents a WithdrawFees event raised by the BondingManager contract.
type BondingManagerWithdrawFees struct {
	Delegator common.Address
	Recipient common.Address
	Amount    *big.Int
	Raw       *types.Log // Blockchain specific contextual infos
}

const BondingManagerWithdrawFeesEventName = "WithdrawFees"

// ContractEventName returns the user-defined event name.
func (BondingManagerWithdrawFees) ContractEventName() string {
	return BondingManagerWithdrawFeesEventName
}

// UnpackWithdrawFeesEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event WithdrawFees(address indexed delegator, address recipient, uint256 amount)
func (bondingManager *BondingManager) UnpackWithdrawFeesEvent(log *types.Log) (*BondingManagerWithdrawFees, error) {
	event := "WithdrawFees"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerWithdrawFees)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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

// BondingManagerWithdrawStake represents a WithdrawStake event raised by the BondingManager contract.
type BondingManagerWithdrawStake struct {
	Delegator       common.Address
	UnbondingLockId *big.Int
	Amount          *big.Int
	WithdrawRound   *big.Int
	Raw             *types.Log // Blockchain specific contextual infos
}

const BondingManagerWithdrawStakeEventName = "WithdrawStake"

// ContractEventName returns the user-defined event name.
func (BondingManagerWithdrawStake) ContractEventName() string {
	return BondingManagerWithdrawStakeEventName
}

// UnpackWithdrawStakeEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event WithdrawStake(address indexed delegator, uint256 unbondingLockId, uint256 amount, uint256 withdrawRound)
func (bondingManager *BondingManager) UnpackWithdrawStakeEvent(log *types.Log) (*BondingManagerWithdrawStake, error) {
	event := "WithdrawStake"
	if len(log.Topics) == 0 || log.Topics[0] != bondingManager.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(BondingManagerWithdrawStake)
	if len(log.Data) > 0 {
		if err := bondingManager.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bondingManager.abi.Events[event].Inputs {
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
