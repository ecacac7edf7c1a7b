// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

import {UD60x18, convert, ud} from "@prb/math/src/UD60x18.sol";

/// The market's formulas as actors/market/lmsr.hpp states them, on the type that contracts use.
contract Reference {
    function exp2(uint256 x) external pure returns (uint256) { return ud(x).exp2().unwrap(); }
    function exp(uint256 x) external pure returns (uint256) { return ud(x).exp().unwrap(); }
    function log2(uint256 x) external pure returns (uint256) { return ud(x).log2().unwrap(); }
    function ln(uint256 x) external pure returns (uint256) { return ud(x).ln().unwrap(); }
    function mul(uint256 x, uint256 y) external pure returns (uint256) { return ud(x).mul(ud(y)).unwrap(); }
    function div(uint256 x, uint256 y) external pure returns (uint256) { return ud(x).div(ud(y)).unwrap(); }

    /// Prices at (trust, distrust), and what it costs to come from there to `target` votes of one side.
    function trade(uint256 liquidity, uint256 basePrice, uint256 trust, uint256 distrust, bool ofTrust, uint256 target)
        external
        pure
        returns (uint256 trustPrice, uint256 distrustPrice, uint256 unitsBefore, uint256 unitsAfter, uint256 cost)
    {
        UD60x18 trustExp = exponential(trust, liquidity);
        UD60x18 distrustExp = exponential(distrust, liquidity);
        UD60x18 sum = trustExp.add(distrustExp);
        trustPrice = roundedDown(trustExp.div(sum).unwrap() * basePrice);
        distrustPrice = roundedUp(distrustExp.div(sum).unwrap() * basePrice);
        unitsBefore = units(sum, liquidity);
        UD60x18 targetExp = exponential(target, liquidity);
        unitsAfter = units(targetExp.add(ofTrust ? distrustExp : trustExp), liquidity);
        uint256 moved = unitsAfter > unitsBefore ? unitsAfter - unitsBefore : unitsBefore - unitsAfter;
        cost = ofTrust ? roundedDown(moved * basePrice) : roundedUp(moved * basePrice);
    }

    function exponential(uint256 votes, uint256 liquidity) private pure returns (UD60x18) {
        require(votes <= 133 * liquidity);
        return convert(votes).div(convert(liquidity)).exp();
    }

    function units(UD60x18 sum, uint256 liquidity) private pure returns (uint256) {
        return sum.ln().mul(convert(liquidity)).unwrap();
    }

    function roundedDown(uint256 product) private pure returns (uint256) { return product / 1e18; }
    function roundedUp(uint256 product) private pure returns (uint256) {
        return product / 1e18 + (product % 1e18 == 0 ? 0 : 1);
    }

    /// Calls one of the functions above once for every `size` bytes of arguments. What a call returned;
    /// nothing where it reverted.
    function batch(bytes4 selector, uint256 size, bytes calldata inputs) external view returns (bytes[] memory results) {
        results = new bytes[](inputs.length / size);
        for (uint256 i = 0; i < results.length; i++) {
            (bool done, bytes memory result) =
                address(this).staticcall(bytes.concat(selector, inputs[i * size:(i + 1) * size]));
            if (done) results[i] = result;
        }
    }
}
