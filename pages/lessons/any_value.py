"""The union of all kinds of value in a lesson's file, selected by ``what``."""

from typing import Annotated

from pydantic import Field

from pages.lessons import by_formula, by_model

AnyValue = Annotated[
    by_formula.Constant
    | by_formula.Cell
    | by_formula.Norm
    | by_formula.Spread
    | by_formula.Cost
    | by_formula.LayersNeeded
    | by_formula.Wavelength
    | by_formula.Products
    | by_formula.DropoutFactor
    | by_formula.CausalLeak
    | by_model.Weight
    | by_model.RowSum
    | by_model.TokenCount
    | by_model.TokenId
    | by_model.ModelSize
    | by_model.PreNorm
    | by_model.PositionLength
    | by_model.Measure
    | by_model.BestLayer
    | by_model.TrainedShare
    | by_model.LabelCount
    | by_model.LabelThreshold
    | by_model.TreebankSize
    | by_model.Grammar
    | by_model.Probability
    | by_model.OutputChange
    | by_model.Stream,
    Field(discriminator="what"),
]
