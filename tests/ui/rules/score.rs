ecs_core::contract! { only rules writes Score; }
