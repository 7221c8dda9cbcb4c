'use strict';

// Compiles the contracts of the local test chain and writes one JSON file for each
// that is deployed. The same sources and the same compiler give the same bytes.
//
//   NODE_PATH=<dir of solc>/node_modules node compile.cjs CONTRACTS_DIR OUT_DIR
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const solc = require('solc');

// Names that shadow are the interface's: arguments are called what its ABI calls them.
const accepted = new Set(['2519']);
const sizeLimit = 24576;
const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'metadata'] } },
};

function sourcesIn(dir) {
  const names = fs.readdirSync(dir, { recursive: true }).map((n) => n.split(path.sep).join('/'));
  const found = names.filter((n) => n.endsWith('.sol')).sort();
  return Object.fromEntries(found.map((n) => [n, { content: fs.readFileSync(path.join(dir, n), 'utf8') }]));
}

function compile(sources) {
  const out = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })));
  const problems = (out.errors ?? []).filter((e) => !accepted.has(e.errorCode));
  if (problems.length > 0) {
    console.error(problems.map((e) => e.formattedMessage).join('\n'));
    process.exit(1);
  }
  return out.contracts;
}

// bare takes the names of Solidity's own types out: they are not part of an ABI.
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([k]) => k !== 'internalType').map(([k, v]) => [k, bare(v)]));
}

// sourceHash changes when the contract, anything it imports, the settings or the
// compiler change.
function sourceHash(metadata) {
  const { sources, compiler, settings: used } = JSON.parse(metadata);
  const files = Object.entries(sources).map(([name, s]) => [name, s.keccak256]).sort();
  return createHash('sha256').update(JSON.stringify([compiler.version, used, files])).digest('hex');
}

function artifact(name, contract) {
  const { bytecode, deployedBytecode } = contract.evm;
  const size = deployedBytecode.object.length / 2;
  if (size > sizeLimit) {
    console.error(`${name} has ${size} bytes of code, over ${sizeLimit}`);
    process.exit(1);
  }
  return {
    contractName: name,
    abi: bare(contract.abi),
    bytecode: `0x${bytecode.object}`,
    deployedBytecode: `0x${deployedBytecode.object}`,
    sourceHash: sourceHash(contract.metadata),
  };
}

function main([contractsDir, outDir]) {
  if (!outDir) {
    console.error('usage: node compile.cjs CONTRACTS_DIR OUT_DIR');
    process.exit(2);
  }
  const contracts = compile(sourcesIn(contractsDir));
  fs.rmSync(outDir, { recursive: true, force: true });
  fs.mkdirSync(outDir, { recursive: true });
  for (const [file, byName] of Object.entries(contracts)) {
    for (const [name, contract] of Object.entries(byName)) {
      // A contract is deployed if it is not abstract and its file bears its name.
      if (contract.evm.bytecode.object === '' || path.basename(file, '.sol') !== name || contract.abi.length === 0) continue;
      fs.writeFileSync(path.join(outDir, `${name}.json`), `${JSON.stringify(artifact(name, contract), null, 1)}\n`);
    }
  }
}

main(process.argv.slice(2));
