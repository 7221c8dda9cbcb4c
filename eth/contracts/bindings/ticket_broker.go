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

// TicketBrokerReserve is an auto generated low-level Go binding around an user-defined struct.
type TicketBrokerReserve struct {
	FundsRemaining        *big.Int
	ClaimedInCurrentRound *big.Int
}

// TicketBrokerSender is an auto generated low-level Go binding around an user-defined struct.
type TicketBrokerSender struct {
	Deposit       *big.Int
	WithdrawRound *big.Int
}

// TicketBrokerTicket is an auto generated low-level Go binding around an user-defined struct.
type TicketBrokerTicket struct {
	Recipient         common.Address
	Sender            common.Address
	FaceValue         *big.Int
	WinProb           *big.Int
	SenderNonce       *big.Int
	RecipientRandHash [32]byte
	AuxData           []byte
}

// TicketBrokerMetaData contains all meta data concerning the TicketBroker contract.
var TicketBrokerMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"fundDeposit\",\"stateMutability\":\"payable\",\"inputs\":[],\"outputs\":[]},{\"type\":\"function\",\"name\":\"fundReserve\",\"stateMutability\":\"payable\",\"inputs\":[],\"outputs\":[]},{\"type\":\"function\",\"name\":\"fundDepositAndReserve\",\"stateMutability\":\"payable\",\"inputs\":[{\"type\":\"uint256\",\"name\":\"depositAmount\"},{\"type\":\"uint256\",\"name\":\"reserveAmount\"}],\"outputs\":[]},{\"type\":\"function\",\"name\":\"fundDepositAndReserveFor\",\"stateMutability\":\"payable\",\"inputs\":[{\"type\":\"address\",\"name\":\"addr\"},{\"type\":\"uint256\",\"name\":\"depositAmount\"},{\"type\":\"uint256\",\"name\":\"reserveAmount\"}],\"outputs\":[]},{\"type\":\"function\",\"name\":\"unlock\",\"inputs\":[],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"cancelUnlock\",\"inputs\":[],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"withdraw\",\"inputs\":[],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"redeemWinningTicket\",\"inputs\":[{\"type\":\"tuple\",\"name\":\"ticket\",\"components\":[{\"type\":\"address\",\"name\":\"recipient\"},{\"type\":\"address\",\"name\":\"sender\"},{\"type\":\"uint256\",\"name\":\"faceValue\"},{\"type\":\"uint256\",\"name\":\"winProb\"},{\"type\":\"uint256\",\"name\":\"senderNonce\"},{\"type\":\"bytes32\",\"name\":\"recipientRandHash\"},{\"type\":\"bytes\",\"name\":\"auxData\"}],\"internalType\":\"structTicketBroker.Ticket\"},{\"type\":\"bytes\",\"name\":\"sig\"},{\"type\":\"uint256\",\"name\":\"recipientRand\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"batchRedeemWinningTickets\",\"inputs\":[{\"type\":\"tuple[]\",\"name\":\"tickets\",\"components\":[{\"type\":\"address\",\"name\":\"recipient\"},{\"type\":\"address\",\"name\":\"sender\"},{\"type\":\"uint256\",\"name\":\"faceValue\"},{\"type\":\"uint256\",\"name\":\"winProb\"},{\"type\":\"uint256\",\"name\":\"senderNonce\"},{\"type\":\"bytes32\",\"name\":\"recipientRandHash\"},{\"type\":\"bytes\",\"name\":\"auxData\"}],\"internalType\":\"structTicketBroker.Ticket[]\"},{\"type\":\"bytes[]\",\"name\":\"sigs\"},{\"type\":\"uint256[]\",\"name\":\"recipientRands\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"getTicketHash\",\"stateMutability\":\"pure\",\"inputs\":[{\"type\":\"tuple\",\"name\":\"ticket\",\"components\":[{\"type\":\"address\",\"name\":\"recipient\"},{\"type\":\"address\",\"name\":\"sender\"},{\"type\":\"uint256\",\"name\":\"faceValue\"},{\"type\":\"uint256\",\"name\":\"winProb\"},{\"type\":\"uint256\",\"name\":\"senderNonce\"},{\"type\":\"bytes32\",\"name\":\"recipientRandHash\"},{\"type\":\"bytes\",\"name\":\"auxData\"}],\"internalType\":\"structTicketBroker.Ticket\"}],\"outputs\":[{\"type\":\"bytes32\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"usedTickets\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"bytes32\",\"name\":\"ticketHash\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"getSenderInfo\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\"}],\"outputs\":[{\"type\":\"tuple\",\"name\":\"sender\",\"components\":[{\"type\":\"uint256\",\"name\":\"deposit\"},{\"type\":\"uint256\",\"name\":\"withdrawRound\"}],\"internalType\":\"structTicketBroker.Sender\"},{\"type\":\"tuple\",\"name\":\"reserve\",\"components\":[{\"type\":\"uint256\",\"name\":\"fundsRemaining\"},{\"type\":\"uint256\",\"name\":\"claimedInCurrentRound\"}],\"internalType\":\"structTicketBroker.Reserve\"}]},{\"type\":\"function\",\"name\":\"getReserveInfo\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"reserveHolder\"}],\"outputs\":[{\"type\":\"tuple\",\"name\":\"info\",\"components\":[{\"type\":\"uint256\",\"name\":\"fundsRemaining\"},{\"type\":\"uint256\",\"name\":\"claimedInCurrentRound\"}],\"internalType\":\"structTicketBroker.Reserve\"}]},{\"type\":\"function\",\"name\":\"isUnlockInProgress\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\"}],\"outputs\":[{\"type\":\"bool\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"claimableReserve\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"reserveHolder\"},{\"type\":\"address\",\"name\":\"claimant\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"claimedReserve\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"reserveHolder\"},{\"type\":\"address\",\"name\":\"claimant\"}],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"unlockPeriod\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"function\",\"name\":\"ticketValidityPeriod\",\"stateMutability\":\"view\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"DepositFunded\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ReserveFunded\",\"inputs\":[{\"type\":\"address\",\"name\":\"reserveHolder\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ReserveClaimed\",\"inputs\":[{\"type\":\"address\",\"name\":\"reserveHolder\",\"indexed\":true},{\"type\":\"address\",\"name\":\"claimant\"},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"WinningTicketRedeemed\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\",\"indexed\":true},{\"type\":\"address\",\"name\":\"recipient\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"faceValue\"},{\"type\":\"uint256\",\"name\":\"winProb\"},{\"type\":\"uint256\",\"name\":\"senderNonce\"},{\"type\":\"uint256\",\"name\":\"recipientRand\"},{\"type\":\"bytes\",\"name\":\"auxData\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"WinningTicketTransfer\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\",\"indexed\":true},{\"type\":\"address\",\"name\":\"recipient\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"amount\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Unlock\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"startRound\"},{\"type\":\"uint256\",\"name\":\"endRound\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"UnlockCancelled\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\",\"indexed\":true}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"Withdrawal\",\"inputs\":[{\"type\":\"address\",\"name\":\"sender\",\"indexed\":true},{\"type\":\"uint256\",\"name\":\"deposit\"},{\"type\":\"uint256\",\"name\":\"reserve\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ParameterUpdate\",\"inputs\":[{\"type\":\"string\",\"name\":\"param\"}]}]",
	ID:  "TicketBroker",
}

// TicketBroker is an auto generated Go binding around an Ethereum contract.
type TicketBroker struct {
	abi abi.ABI
}

// NewTicketBroker creates a new instance of TicketBroker.
func NewTicketBroker() *TicketBroker {
	parsed, err := TicketBrokerMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &TicketBroker{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *TicketBroker) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackBatchRedeemWinningTickets is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd01b808e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function batchRedeemWinningTickets((address,address,uint256,uint256,uint256,bytes32,bytes)[] tickets, bytes[] sigs, uint256[] recipientRands) returns()
func (ticketBroker *TicketBroker) PackBatchRedeemWinningTickets(tickets []TicketBrokerTicket, sigs [][]byte, recipientRands []*big.Int) []byte {
	enc, err := ticketBroker.abi.Pack("batchRedeemWinningTickets", tickets, sigs, recipientRands)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBatchRedeemWinningTickets is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd01b808e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function batchRedeemWinningTickets((address,address,uint256,uint256,uint256,bytes32,bytes)[] tickets, bytes[] sigs, uint256[] recipientRands) returns()
func (ticketBroker *TicketBroker) TryPackBatchRedeemWinningTickets(tickets []TicketBrokerTicket, sigs [][]byte, recipientRands []*big.Int) ([]byte, error) {
	return ticketBroker.abi.Pack("batchRedeemWinningTickets", tickets, sigs, recipientRands)
}

// PackCancelUnlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc2c4c2c8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancelUnlock() returns()
func (ticketBroker *TicketBroker) PackCancelUnlock() []byte {
	enc, err := ticketBroker.abi.Pack("cancelUnlock")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancelUnlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc2c4c2c8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancelUnlock() returns()
func (ticketBroker *TicketBroker) TryPackCancelUnlock() ([]byte, error) {
	return ticketBroker.abi.Pack("cancelUnlock")
}

// PackClaimableReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x81779f38.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function claimableReserve(address reserveHolder, address claimant) view returns(uint256)
func (ticketBroker *TicketBroker) PackClaimableReserve(reserveHolder common.Address, claimant common.Address) []byte {
	enc, err := ticketBroker.abi.Pack("claimableReserve", reserveHolder, claimant)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackClaimableReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x81779f38.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function claimableReserve(address reserveHolder, address claimant) view returns(uint256)
func (ticketBroker *TicketBroker) TryPackClaimableReserve(reserveHolder common.Address, claimant common.Address) ([]byte, error) {
	return ticketBroker.abi.Pack("claimableReserve", reserveHolder, claimant)
}

// UnpackClaimableReserve is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x81779f38.
//
// Solidity: function claimableReserve(address reserveHolder, address claimant) view returns(uint256)
func (ticketBroker *TicketBroker) UnpackClaimableReserve(data []byte) (*big.Int, error) {
	out, err := ticketBroker.abi.Unpack("claimableReserve", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackClaimedReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4ac826da.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function claimedReserve(address reserveHolder, address claimant) view returns(uint256)
func (ticketBroker *TicketBroker) PackClaimedReserve(reserveHolder common.Address, claimant common.Address) []byte {
	enc, err := ticketBroker.abi.Pack("claimedReserve", reserveHolder, claimant)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackClaimedReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4ac826da.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function claimedReserve(address reserveHolder, address claimant) view returns(uint256)
func (ticketBroker *TicketBroker) TryPackClaimedReserve(reserveHolder common.Address, claimant common.Address) ([]byte, error) {
	return ticketBroker.abi.Pack("claimedReserve", reserveHolder, claimant)
}

// UnpackClaimedReserve is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4ac826da.
//
// Solidity: function claimedReserve(address reserveHolder, address claimant) view returns(uint256)
func (ticketBroker *TicketBroker) UnpackClaimedReserve(data []byte) (*big.Int, error) {
	out, err := ticketBroker.abi.Unpack("claimedReserve", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackFundDeposit is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6caa736b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fundDeposit() payable returns()
func (ticketBroker *TicketBroker) PackFundDeposit() []byte {
	enc, err := ticketBroker.abi.Pack("fundDeposit")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFundDeposit is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6caa736b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fundDeposit() payable returns()
func (ticketBroker *TicketBroker) TryPackFundDeposit() ([]byte, error) {
	return ticketBroker.abi.Pack("fundDeposit")
}

// PackFundDepositAndReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x511f4073.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fundDepositAndReserve(uint256 depositAmount, uint256 reserveAmount) payable returns()
func (ticketBroker *TicketBroker) PackFundDepositAndReserve(depositAmount *big.Int, reserveAmount *big.Int) []byte {
	enc, err := ticketBroker.abi.Pack("fundDepositAndReserve", depositAmount, reserveAmount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFundDepositAndReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x511f4073.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fundDepositAndReserve(uint256 depositAmount, uint256 reserveAmount) payable returns()
func (ticketBroker *TicketBroker) TryPackFundDepositAndReserve(depositAmount *big.Int, reserveAmount *big.Int) ([]byte, error) {
	return ticketBroker.abi.Pack("fundDepositAndReserve", depositAmount, reserveAmount)
}

// PackFundDepositAndReserveFor is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x989f789c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fundDepositAndReserveFor(address addr, uint256 depositAmount, uint256 reserveAmount) payable returns()
func (ticketBroker *TicketBroker) PackFundDepositAndReserveFor(addr common.Address, depositAmount *big.Int, reserveAmount *big.Int) []byte {
	enc, err := ticketBroker.abi.Pack("fundDepositAndReserveFor", addr, depositAmount, reserveAmount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFundDepositAndReserveFor is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x989f789c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fundDepositAndReserveFor(address addr, uint256 depositAmount, uint256 reserveAmount) payable returns()
func (ticketBroker *TicketBroker) TryPackFundDepositAndReserveFor(addr common.Address, depositAmount *big.Int, reserveAmount *big.Int) ([]byte, error) {
	return ticketBroker.abi.Pack("fundDepositAndReserveFor", addr, depositAmount, reserveAmount)
}

// PackFundReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6f9c3c8f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fundReserve() payable returns()
func (ticketBroker *TicketBroker) PackFundReserve() []byte {
	enc, err := ticketBroker.abi.Pack("fundReserve")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFundReserve is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6f9c3c8f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fundReserve() payable returns()
func (ticketBroker *TicketBroker) TryPackFundReserve() ([]byte, error) {
	return ticketBroker.abi.Pack("fundReserve")
}

// PackGetReserveInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5b6333eb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getReserveInfo(address reserveHolder) view returns((uint256,uint256) info)
func (ticketBroker *TicketBroker) PackGetReserveInfo(reserveHolder common.Address) []byte {
	enc, err := ticketBroker.abi.Pack("getReserveInfo", reserveHolder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetReserveInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5b6333eb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getReserveInfo(address reserveHolder) view returns((uint256,uint256) info)
func (ticketBroker *TicketBroker) TryPackGetReserveInfo(reserveHolder common.Address) ([]byte, error) {
	return ticketBroker.abi.Pack("getReserveInfo", reserveHolder)
}

// UnpackGetReserveInfo is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5b6333eb.
//
// Solidity: function getReserveInfo(address reserveHolder) view returns((uint256,uint256) info)
func (ticketBroker *TicketBroker) UnpackGetReserveInfo(data []byte) (TicketBrokerReserve, error) {
	out, err := ticketBroker.abi.Unpack("getReserveInfo", data)
	if err != nil {
		return *new(TicketBrokerReserve), err
	}
	out0 := *abi.ConvertType(out[0], new(TicketBrokerReserve)).(*TicketBrokerReserve)
	return out0, nil
}

// PackGetSenderInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe1a589da.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getSenderInfo(address sender) view returns((uint256,uint256) sender, (uint256,uint256) reserve)
func (ticketBroker *TicketBroker) PackGetSenderInfo(sender common.Address) []byte {
	enc, err := ticketBroker.abi.Pack("getSenderInfo", sender)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetSenderInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe1a589da.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getSenderInfo(address sender) view returns((uint256,uint256) sender, (uint256,uint256) reserve)
func (ticketBroker *TicketBroker) TryPackGetSenderInfo(sender common.Address) ([]byte, error) {
	return ticketBroker.abi.Pack("getSenderInfo", sender)
}

// GetSenderInfoOutput serves as a container for the return parameters of contract
// method GetSenderInfo.
type GetSenderInfoOutput struct {
	Sender  TicketBrokerSender
	Reserve TicketBrokerReserve
}

// UnpackGetSenderInfo is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe1a589da.
//
// Solidity: function getSenderInfo(address sender) view returns((uint256,uint256) sender, (uint256,uint256) reserve)
func (ticketBroker *TicketBroker) UnpackGetSenderInfo(data []byte) (GetSenderInfoOutput, error) {
	out, err := ticketBroker.abi.Unpack("getSenderInfo", data)
	outstruct := new(GetSenderInfoOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Sender = *abi.ConvertType(out[0], new(TicketBrokerSender)).(*TicketBrokerSender)
	outstruct.Reserve = *abi.ConvertType(out[1], new(TicketBrokerReserve)).(*TicketBrokerReserve)
	return *outstruct, nil
}

// PackGetTicketHash is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb03fa864.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getTicketHash((address,address,uint256,uint256,uint256,bytes32,bytes) ticket) pure returns(bytes32)
func (ticketBroker *TicketBroker) PackGetTicketHash(ticket TicketBrokerTicket) []byte {
	enc, err := ticketBroker.abi.Pack("getTicketHash", ticket)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetTicketHash is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb03fa864.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getTicketHash((address,address,uint256,uint256,uint256,bytes32,bytes) ticket) pure returns(bytes32)
func (ticketBroker *TicketBroker) TryPackGetTicketHash(ticket TicketBrokerTicket) ([]byte, error) {
	return ticketBroker.abi.Pack("getTicketHash", ticket)
}

// UnpackGetTicketHash is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb03fa864.
//
// Solidity: function getTicketHash((address,address,uint256,uint256,uint256,bytes32,bytes) ticket) pure returns(bytes32)
func (ticketBroker *TicketBroker) UnpackGetTicketHash(data []byte) ([32]byte, error) {
	out, err := ticketBroker.abi.Unpack("getTicketHash", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackIsUnlockInProgress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x121cdcc2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isUnlockInProgress(address sender) view returns(bool)
func (ticketBroker *TicketBroker) PackIsUnlockInProgress(sender common.Address) []byte {
	enc, err := ticketBroker.abi.Pack("isUnlockInProgress", sender)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsUnlockInProgress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x121cdcc2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isUnlockInProgress(address sender) view returns(bool)
func (ticketBroker *TicketBroker) TryPackIsUnlockInProgress(sender common.Address) ([]byte, error) {
	return ticketBroker.abi.Pack("isUnlockInProgress", sender)
}

// UnpackIsUnlockInProgress is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x121cdcc2.
//
// Solidity: function isUnlockInProgress(address sender) view returns(bool)
func (ticketBroker *TicketBroker) UnpackIsUnlockInProgress(data []byte) (bool, error) {
	out, err := ticketBroker.abi.Unpack("isUnlockInProgress", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackRedeemWinningTicket is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xec8b3cb6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function redeemWinningTicket((address,address,uint256,uint256,uint256,bytes32,bytes) ticket, bytes sig, uint256 recipientRand) returns()
func (ticketBroker *TicketBroker) PackRedeemWinningTicket(ticket TicketBrokerTicket, sig []byte, recipientRand *big.Int) []byte {
	enc, err := ticketBroker.abi.Pack("redeemWinningTicket", ticket, sig, recipientRand)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRedeemWinningTicket is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xec8b3cb6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function redeemWinningTicket((address,address,uint256,uint256,uint256,bytes32,bytes) ticket, bytes sig, uint256 recipientRand) returns()
func (ticketBroker *TicketBroker) TryPackRedeemWinningTicket(ticket TicketBrokerTicket, sig []byte, recipientRand *big.Int) ([]byte, error) {
	return ticketBroker.abi.Pack("redeemWinningTicket", ticket, sig, recipientRand)
}

// PackTicketValidityPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x856a2cf8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ticketValidityPeriod() view returns(uint256)
func (ticketBroker *TicketBroker) PackTicketValidityPeriod() []byte {
	enc, err := ticketBroker.abi.Pack("ticketValidityPeriod")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTicketValidityPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x856a2cf8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ticketValidityPeriod() view returns(uint256)
func (ticketBroker *TicketBroker) TryPackTicketValidityPeriod() ([]byte, error) {
	return ticketBroker.abi.Pack("ticketValidityPeriod")
}

// UnpackTicketValidityPeriod is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x856a2cf8.
//
// Solidity: function ticketValidityPeriod() view returns(uint256)
func (ticketBroker *TicketBroker) UnpackTicketValidityPeriod(data []byte) (*big.Int, error) {
	out, err := ticketBroker.abi.Unpack("ticketValidityPeriod", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackUnlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa69df4b5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function unlock() returns()
func (ticketBroker *TicketBroker) PackUnlock() []byte {
	enc, err := ticketBroker.abi.Pack("unlock")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUnlock is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa69df4b5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function unlock() returns()
func (ticketBroker *TicketBroker) TryPackUnlock() ([]byte, error) {
	return ticketBroker.abi.Pack("unlock")
}

// PackUnlockPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x20d3a0b4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function unlockPeriod() view returns(uint256)
func (ticketBroker *TicketBroker) PackUnlockPeriod() []byte {
	enc, err := ticketBroker.abi.Pack("unlockPeriod")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUnlockPeriod is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x20d3a0b4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function unlockPeriod() view returns(uint256)
func (ticketBroker *TicketBroker) TryPackUnlockPeriod() ([]byte, error) {
	return ticketBroker.abi.Pack("unlockPeriod")
}

// UnpackUnlockPeriod is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x20d3a0b4.
//
// Solidity: function unlockPeriod() view returns(uint256)
func (ticketBroker *TicketBroker) UnpackUnlockPeriod(data []byte) (*big.Int, error) {
	out, err := ticketBroker.abi.Unpack("unlockPeriod", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackUsedTickets is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x59a515ba.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function usedTickets(bytes32 ticketHash) view returns(bool)
func (ticketBroker *TicketBroker) PackUsedTickets(ticketHash [32]byte) []byte {
	enc, err := ticketBroker.abi.Pack("usedTickets", ticketHash)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUsedTickets is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x59a515ba.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function usedTickets(bytes32 ticketHash) view returns(bool)
func (ticketBroker *TicketBroker) TryPackUsedTickets(ticketHash [32]byte) ([]byte, error) {
	return ticketBroker.abi.Pack("usedTickets", ticketHash)
}

// UnpackUsedTickets is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x59a515ba.
//
// Solidity: function usedTickets(bytes32 ticketHash) view returns(bool)
func (ticketBroker *TicketBroker) UnpackUsedTickets(data []byte) (bool, error) {
	out, err := ticketBroker.abi.Unpack("usedTickets", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackWithdraw is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3ccfd60b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdraw() returns()
func (ticketBroker *TicketBroker) PackWithdraw() []byte {
	enc, err := ticketBroker.abi.Pack("withdraw")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdraw is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3ccfd60b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdraw() returns()
func (ticketBroker *TicketBroker) TryPackWithdraw() ([]byte, error) {
	return ticketBroker.abi.Pack("withdraw")
}

// TicketBrokerDepositFunded represents a DepositFunded event raised by the TicketBroker contract.
type TicketBrokerDepositFunded struct {
	Sender common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const TicketBrokerDepositFundedEventName = "DepositFunded"

// ContractEventName returns the user-defined event name.
func (TicketBrokerDepositFunded) ContractEventName() string {
	return TicketBrokerDepositFundedEventName
}

// UnpackDepositFundedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event DepositFunded(address indexed sender, uint256 amount)
func (ticketBroker *TicketBroker) UnpackDepositFundedEvent(log *types.Log) (*TicketBrokerDepositFunded, error) {
	event := "DepositFunded"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerDepositFunded)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerParameterUpdate represents a ParameterUpdate event raised by the TicketBroker contract.
type TicketBrokerParameterUpdate struct {
	Param string
	Raw   *types.Log // Blockchain specific contextual infos
}

const TicketBrokerParameterUpdateEventName = "ParameterUpdate"

// ContractEventName returns the user-defined event name.
func (TicketBrokerParameterUpdate) ContractEventName() string {
	return TicketBrokerParameterUpdateEventName
}

// UnpackParameterUpdateEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ParameterUpdate(string param)
func (ticketBroker *TicketBroker) UnpackParameterUpdateEvent(log *types.Log) (*TicketBrokerParameterUpdate, error) {
	event := "ParameterUpdate"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerParameterUpdate)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerReserveClaimed represents a ReserveClaimed event raised by the TicketBroker contract.
type TicketBrokerReserveClaimed struct {
	ReserveHolder common.Address
	Claimant      common.Address
	Amount        *big.Int
	Raw           *types.Log // Blockchain specific contextual infos
}

const TicketBrokerReserveClaimedEventName = "ReserveClaimed"

// ContractEventName returns the user-defined event name.
func (TicketBrokerReserveClaimed) ContractEventName() string {
	return TicketBrokerReserveClaimedEventName
}

// UnpackReserveClaimedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ReserveClaimed(address indexed reserveHolder, address claimant, uint256 amount)
func (ticketBroker *TicketBroker) UnpackReserveClaimedEvent(log *types.Log) (*TicketBrokerReserveClaimed, error) {
	event := "ReserveClaimed"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerReserveClaimed)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerReserveFunded represents a ReserveFunded event raised by the TicketBroker contract.
type TicketBrokerReserveFunded struct {
	ReserveHolder common.Address
	Amount        *big.Int
	Raw           *types.Log // Blockchain specific contextual infos
}

const TicketBrokerReserveFundedEventName = "ReserveFunded"

// ContractEventName returns the user-defined event name.
func (TicketBrokerReserveFunded) ContractEventName() string {
	return TicketBrokerReserveFundedEventName
}

// UnpackReserveFundedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ReserveFunded(address indexed reserveHolder, uint256 amount)
func (ticketBroker *TicketBroker) UnpackReserveFundedEvent(log *types.Log) (*TicketBrokerReserveFunded, error) {
	event := "ReserveFunded"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerReserveFunded)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerUnlock represents a Unlock event raised by the TicketBroker contract.
type TicketBrokerUnlock struct {
	Sender     common.Address
	StartRound *big.Int
	EndRound   *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const TicketBrokerUnlockEventName = "Unlock"

// ContractEventName returns the user-defined event name.
func (TicketBrokerUnlock) ContractEventName() string {
	return TicketBrokerUnlockEventName
}

// UnpackUnlockEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Unlock(address indexed sender, uint256 startRound, uint256 endRound)
func (ticketBroker *TicketBroker) UnpackUnlockEvent(log *types.Log) (*TicketBrokerUnlock, error) {
	event := "Unlock"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerUnlock)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerUnlockCancelled represents a UnlockCancelled event raised by the TicketBroker contract.
type TicketBrokerUnlockCancelled struct {
	Sender common.Address
	Raw    *types.Log // Blockchain specific contextual infos
}

const TicketBrokerUnlockCancelledEventName = "UnlockCancelled"

// ContractEventName returns the user-defined event name.
func (TicketBrokerUnlockCancelled) ContractEventName() string {
	return TicketBrokerUnlockCancelledEventName
}

// UnpackUnlockCancelledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event UnlockCancelled(address indexed sender)
func (ticketBroker *TicketBroker) UnpackUnlockCancelledEvent(log *types.Log) (*TicketBrokerUnlockCancelled, error) {
	event := "UnlockCancelled"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerUnlockCancelled)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerWinningTicketRedeemed represents a WinningTicketRedeemed event raised by the TicketBroker contract.
type TicketBrokerWinningTicketRedeemed struct {
	Sender        common.Address
	Recipient     common.Address
	FaceValue     *big.Int
	WinProb       *big.Int
	SenderNonce   *big.Int
	RecipientRand *big.Int
	AuxData       []byte
	Raw           *types.Log // Blockchain specific contextual infos
}

const TicketBrokerWinningTicketRedeemedEventName = "WinningTicketRedeemed"

// ContractEventName returns the user-defined event name.
func (TicketBrokerWinningTicketRedeemed) ContractEventName() string {
	return TicketBrokerWinningTicketRedeemedEventName
}

// UnpackWinningTicketRedeemedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event WinningTicketRedeemed(address indexed sender, address indexed recipient, uint256 faceValue, uint256 winProb, uint256 senderNonce, uint256 recipientRand, bytes auxData)
func (ticketBroker *TicketBroker) UnpackWinningTicketRedeemedEvent(log *types.Log) (*TicketBrokerWinningTicketRedeemed, error) {
	event := "WinningTicketRedeemed"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerWinningTicketRedeemed)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerWinningTicketTransfer represents a WinningTicketTransfer event raised by the TicketBroker contract.
type TicketBrokerWinningTicketTransfer struct {
	Sender    common.Address
	Recipient common.Address
	Amount    *big.Int
	Raw       *types.Log // Blockchain specific contextual infos
}

const TicketBrokerWinningTicketTransferEventName = "WinningTicketTransfer"

// ContractEventName returns the user-defined event name.
func (TicketBrokerWinningTicketTransfer) ContractEventName() string {
	return TicketBrokerWinningTicketTransferEventName
}

// UnpackWinningTicketTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event WinningTicketTransfer(address indexed sender, address indexed recipient, uint256 amount)
func (ticketBroker *TicketBroker) UnpackWinningTicketTransferEvent(log *types.Log) (*TicketBrokerWinningTicketTransfer, error) {
	event := "WinningTicketTransfer"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerWinningTicketTransfer)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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

// TicketBrokerWithdrawal represents a Withdrawal event raised by the TicketBroker contract.
type TicketBrokerWithdrawal struct {
	Sender  common.Address
	Deposit *big.Int
	Reserve *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const TicketBrokerWithdrawalEventName = "Withdrawal"

// ContractEventName returns the user-defined event name.
func (TicketBrokerWithdrawal) ContractEventName() string {
	return TicketBrokerWithdrawalEventName
}

// UnpackWithdrawalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Withdrawal(address indexed sender, uint256 deposit, uint256 reserve)
func (ticketBroker *TicketBroker) UnpackWithdrawalEvent(log *types.Log) (*TicketBrokerWithdrawal, error) {
	event := "Withdrawal"
	if len(log.Topics) == 0 || log.Topics[0] != ticketBroker.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(TicketBrokerWithdrawal)
	if len(log.Data) > 0 {
		if err := ticketBroker.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range ticketBroker.abi.Events[event].Inputs {
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
