"""The other libraries at their defaults: `examples` makes what they are fed, `learner` a step."""
