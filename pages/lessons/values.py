"""What a lesson's file can ask for: a closed vocabulary of numbers, each by its ``what``."""

from typing import Annotated

from pydantic import Field

from pages.lessons import by_formula, by_model

AnyValue = Annotated[
    by_formula.Constant
    | by_formula.Cell
    | by_formula.Norm
    | by_formula.Spread
    | by_formula.Cost
    | by_formula.LayersTo
    | by_formula.Wavelength
    | by_model.Weight
    | by_model.RowSum
    | by_model.Count
    | by_model.TokenId
    | by_model.Size
    | by_model.Measure
    | by_model.Learned
    | by_model.Labelled
    | by_model.Grammar
    | by_model.Probability
    | by_model.Moved
    | by_model.Stream,
    Field(discriminator="what"),
]
