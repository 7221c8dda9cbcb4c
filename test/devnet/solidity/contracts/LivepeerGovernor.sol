// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_VOTES, Managed, TREASURY} from "./Managed.sol";
import {IBondingVotes, ITreasury} from "./interfaces.sol";
import {Percent} from "./Percent.sol";

/// Votes on what the treasury does. Timepoints are rounds. An orchestrator votes
/// with its delegators' stake unless they vote themselves.
contract LivepeerGovernor is Managed {
    enum State {
        Pending,
        Active,
        Canceled,
        Defeated,
        Succeeded,
        Queued,
        Expired,
        Executed
    }

    struct Proposal {
        uint256 snapshot;
        uint256 deadline;
        bool executed;
        uint256[3] tally;
        /// Choice + 1 of each who voted.
        mapping(address => uint8) choice;
        /// What delegators who voted before took from their orchestrator's weight.
        mapping(address => uint256) taken;
    }

    uint256 public votingDelay;
    uint256 public votingPeriod;
    uint256 public proposalThreshold;
    uint256 public quota;
    uint256 private quorumRate;
    mapping(uint256 => Proposal) private proposals;

    event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason);
    event ProposalCreated(
        uint256 proposalId,
        address proposer,
        address[] targets,
        uint256[] values,
        string[] signatures,
        bytes[] calldatas,
        uint256 voteStart,
        uint256 voteEnd,
        string description
    );
    event ProposalExecuted(uint256 proposalId);

    error InvalidVoteType(uint8 voteType);
    error VoteAlreadyCast();

    /// delay and period in rounds, threshold in tokens, quorumRate and quota in millionths.
    constructor(address controller, uint256 delay, uint256 period, uint256 threshold, uint256 _quorumRate, uint256 _quota)
        Managed(controller)
    {
        votingDelay = delay;
        votingPeriod = period;
        proposalThreshold = threshold;
        quorumRate = _quorumRate;
        quota = _quota;
    }

    function clock() public view returns (uint48) {
        return uint48(_round());
    }

    function getVotes(address account, uint256 timepoint) public view returns (uint256) {
        return _votes().getPastVotes(account, timepoint);
    }

    function quorum(uint256 timepoint) public view returns (uint256) {
        return Percent.millionths(_votes().getPastTotalSupply(timepoint), quorumRate);
    }

    function hasVoted(uint256 proposalId, address account) external view returns (bool) {
        return proposals[proposalId].choice[account] != 0;
    }

    function proposalVotes(uint256 proposalId)
        external
        view
        returns (uint256 againstVotes, uint256 forVotes, uint256 abstainVotes)
    {
        uint256[3] storage tally = proposals[proposalId].tally;
        return (tally[0], tally[1], tally[2]);
    }

    function proposalSnapshot(uint256 proposalId) external view returns (uint256) {
        return proposals[proposalId].snapshot;
    }

    function proposalDeadline(uint256 proposalId) external view returns (uint256) {
        return proposals[proposalId].deadline;
    }

    function state(uint256 proposalId) public view returns (State) {
        Proposal storage p = proposals[proposalId];
        require(p.snapshot != 0, "Governor: unknown proposal id");
        if (p.executed) return State.Executed;
        uint256 round = _round();
        if (p.snapshot >= round) return State.Pending;
        if (p.deadline >= round) return State.Active;
        uint256 decided = p.tally[0] + p.tally[1];
        bool accepted = decided > 0 && (p.tally[1] * Percent.MILLION) / decided >= quota;
        return accepted && decided + p.tally[2] >= quorum(p.snapshot) ? State.Succeeded : State.Defeated;
    }

    function propose(
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        string memory description
    ) external returns (uint256 id) {
        require(
            getVotes(msg.sender, clock() - 1) >= proposalThreshold,
            "Governor: proposer votes below proposal threshold"
        );
        require(targets.length == values.length && targets.length == calldatas.length, "Governor: invalid proposal length");
        id = hashProposal(targets, values, calldatas, keccak256(bytes(description)));
        Proposal storage p = proposals[id];
        require(p.snapshot == 0, "Governor: proposal already exists");
        p.snapshot = clock() + votingDelay;
        p.deadline = p.snapshot + votingPeriod;
        string[] memory none = new string[](targets.length);
        emit ProposalCreated(
            id, msg.sender, targets, values, none, calldatas, p.snapshot, p.deadline, description
        );
    }

    function execute(
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 descriptionHash
    ) external {
        uint256 id = hashProposal(targets, values, calldatas, descriptionHash);
        require(state(id) == State.Succeeded, "Governor: proposal not successful");
        proposals[id].executed = true;
        emit ProposalExecuted(id);
        for (uint256 i = 0; i < targets.length; i++) {
            ITreasury(_at(TREASURY)).execute(targets[i], values[i], calldatas[i]);
        }
    }

    function hashProposal(
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 descriptionHash
    ) public pure returns (uint256) {
        return uint256(keccak256(abi.encode(targets, values, calldatas, descriptionHash)));
    }

    function castVote(uint256 proposalId, uint8 support) external returns (uint256) {
        return _vote(proposalId, support, "");
    }

    function castVoteWithReason(uint256 proposalId, uint8 support, string calldata reason)
        external
        returns (uint256)
    {
        return _vote(proposalId, support, reason);
    }

    function _vote(uint256 id, uint8 support, string memory reason) private returns (uint256 weight) {
        require(state(id) == State.Active, "Governor: vote not currently active");
        Proposal storage p = proposals[id];
        if (support > 2) revert InvalidVoteType(support);
        if (p.choice[msg.sender] != 0) revert VoteAlreadyCast();
        p.choice[msg.sender] = support + 1;
        weight = getVotes(msg.sender, p.snapshot);
        address delegate = _votes().delegatedAt(msg.sender, p.snapshot);
        if (delegate == msg.sender) weight -= p.taken[msg.sender];
        else _takeFrom(p, delegate, weight);
        p.tally[support] += weight;
        emit VoteCast(msg.sender, id, support, weight, reason);
    }

    /// A delegator who votes takes its weight from its orchestrator, whichever of
    /// the two comes first.
    function _takeFrom(Proposal storage p, address delegate, uint256 weight) private {
        p.taken[delegate] += weight;
        uint8 choice = p.choice[delegate];
        if (choice != 0) p.tally[choice - 1] -= weight;
    }

    function _votes() private view returns (IBondingVotes) {
        return IBondingVotes(_at(BONDING_VOTES));
    }
}
